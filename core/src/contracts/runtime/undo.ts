import type { Static } from 'typebox'
import * as Type from 'typebox'
import { RunId } from '../ids.ts'
import { Text, Texts } from '../schema.ts'

/** What is undone of a run. */
export const UndoInput = Type.Object(
  {
    to: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'id of a step: files become as they were when it ended. Default: as they were before the run',
      }),
    ),
    also: Type.Optional(
      Type.Array(RunId, { maxItems: 1000, description: 'later runs whose changes are undone with it, all or none' }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: 'true: says what would be done, and does nothing' })),
  },
  { additionalProperties: false },
)
export type UndoInput = Static<typeof UndoInput>

/** A path that is put back. */
export const UndoneFile = Type.Object({
  path: Text('from the workspace'),
  action: Type.Enum(['write', 'remove'], { description: 'what puts it back' }),
  kind: Type.Enum(['file', 'folder', 'link'], { description: 'what is written, or removed' }),
  diff: Type.Optional(
    Text(
      'unified diff from what is there to what is put back, at most 20,000 characters; absent of what is no text, or not kept',
    ),
  ),
})
export type UndoneFile = Static<typeof UndoneFile>

/** Something that cannot be undone. */
export const NotUndone = Type.Object({
  path: Type.Optional(Text('of a file; absent where it is not known which files it is about')),
  tool: Type.Optional(Text('that changed it')),
  why: Type.String(),
})
export type NotUndone = Static<typeof NotUndone>

/** What an undo did, or would do. */
export const UndoResult = Type.Object({
  runIds: Texts('runs whose changes are undone, oldest first'),
  done: Type.Boolean({ description: 'false: nothing was changed' }),
  files: Type.Array(UndoneFile),
  left: Type.Array(NotUndone, { description: 'what stays as the runs left it' }),
  conflicts: Type.Array(Type.Object({ path: Type.String(), why: Type.String() }), {
    description: 'files that were changed since: as long as there are any, nothing is undone',
  }),
})
export type UndoResult = Static<typeof UndoResult>
