/** What an `AGENTS.md` says of work in its folder. */
export interface FolderNote {
  /** From the repository's top, with `/`. */
  readonly path: string
  /** Where it is too long, the end says how much is left out. */
  readonly text: string
  /** `trusted`: instructions, as a person has trusted them. `untrusted`: material. */
  readonly trust: 'trusted' | 'untrusted'
}

/** The notes of some folders, the nearest last, and what a person should know of those that are missing. */
export interface FolderNotes {
  readonly notes: readonly FolderNote[]
  readonly warnings: readonly string[]
}

/** Reads the `AGENTS.md` files of a workspace. */
export interface NoteReader {
  /** From the repository's top to the workspace. */
  above(): FolderNotes
  /**
   * From below the workspace to a folder of it.
   *
   * @param folder from the workspace, with `/`
   * @param isTainted whether an agent that has read something untrusted wrote a file, by its absolute path
   */
  below(folder: string, isTainted: (file: string) => boolean): FolderNotes
}
