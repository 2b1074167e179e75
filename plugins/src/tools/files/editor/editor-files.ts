import { openInside, type WorkspacePath } from '../workspace.ts'

/**
 * The texts of files as an editor has them, with changes that nobody has saved. Paths are absolute, with links resolved, and were
 * checked before.
 */
export interface EditorFiles {
  /** @returns undefined where the editor cannot read the file: then the text on the disk counts */
  read(path: string, signal: AbortSignal): Promise<string | undefined>
  /**
   * Puts a text in place of that of a file, which is made where it is missing, and saves it.
   *
   * @returns false where the editor cannot: then the file is written on the disk
   */
  write(path: string, text: string, signal: AbortSignal): Promise<boolean>
}

/**
 * The text of a file as the editor has it.
 *
 * @returns undefined where there is no editor, or it cannot read the file
 * @throws PolicyError `path_outside_root` where the path leads out of the workspace by now: the editor opens it by itself
 */
export async function readInEditor(
  editor: EditorFiles | undefined,
  place: WorkspacePath,
  signal: AbortSignal,
): Promise<string | undefined> {
  const text = await editor?.read(place.real, signal)
  if (text !== undefined) await (await openInside(place)).close()
  return text
}
