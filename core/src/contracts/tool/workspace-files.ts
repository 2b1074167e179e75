import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { RunOptions } from '../run/run.ts'
import { Texts } from '../schema.ts'
import type { PathState, Restoration } from './file-change.ts'
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
  /** How paths are now, in the order in which they are asked for; undefined: nothing is there. */
  look(paths: readonly string[]): Promise<readonly (PathState | undefined)[]>
  /** What would change at a path, as a unified diff; undefined where one of the two is no text, or is not known. */
  compare(restoration: Restoration): Promise<string | undefined>
  /**
   * Puts paths back, all or none: nothing is changed before each is seen to be as it has to be, and all contents are written
   * beside. Where it is cut off, the same can be done again.
   *
   * @param mark names what is put back, equal for each try
   * @returns folders that stay, since they hold something else
   * @throws ConflictError `files_changed`; ToolError `tool_failed` where something cannot be written
   */
  restore(restorations: readonly Restoration[], mark: string): Promise<readonly string[]>
  /** The paths of all files, but for what is ignored and what `check` refuses; they may be a few seconds old. */
  list(check: NonNullable<ToolContext['check']>): Promise<readonly string[]>
}
