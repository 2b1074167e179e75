import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { RunOptions } from '../run/run.ts'
import { Texts } from '../schema.ts'
import type { ToolContext } from './tool.ts'

/** Which files of the workspace are looked for. */
export const FileQuery = Type.Object(
  {
    q: Type.Optional(Type.String({ maxLength: 200, description: 'part of a path, in any case; default: all files' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'default 20' })),
  },
  { additionalProperties: false },
)
export type FileQuery = Static<typeof FileQuery>

/** Files of the workspace by name. */
export const FileNames = Type.Object({
  data: Texts('paths below the workspace, with `/`: those whose name or path begins so first'),
  hasMore: Type.Boolean(),
})
export type FileNames = Static<typeof FileNames>

/** The files that tools reach, for what a run is handed from the start. */
export interface WorkspaceFiles {
  /**
   * Adds files to the material of a run.
   *
   * @param names paths and globs
   * @param check asks the policy about each path, as it asks for tools
   * @throws PolicyError `path_outside_root`, and what `check` throws; ValidationError `validation_failed` for what cannot be
   *   read, is neither text, image nor PDF, or too much: each names the field, such as `/files/0`
   */
  attach(
    names: readonly string[],
    material: RunOptions['context'],
    check: NonNullable<ToolContext['check']>,
  ): Promise<RunOptions['context']>
  /** The paths of all files, but for what is ignored and what `check` refuses; they may be a few seconds old. */
  list(check: NonNullable<ToolContext['check']>): Promise<readonly string[]>
}
