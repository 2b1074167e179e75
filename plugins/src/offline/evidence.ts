import type { Cite } from './cite.ts'

/** Every line that the tools have shown, and the names of the files and folders that were listed. */
export class Evidence {
  private readonly lines = new Map<string, Map<number, string>>()
  private readonly folders = new Set<string>()

  /** Keeps a line; the longest form wins, as a search may show a line cut. */
  note(path: string, line: number, text: string): void {
    const known = this.lines.get(path) ?? new Map<number, string>()
    const before = known.get(line)
    if (before === undefined || before.length < text.length) known.set(line, text)
    this.lines.set(path, known)
  }

  noteFolder(path: string): void {
    this.folders.add(path)
  }

  /** What a citation points at, or undefined when no tool has shown it. */
  textOf(cite: Cite): string | undefined {
    if (cite.from === undefined) return this.folders.has(cite.path) ? cite.path : undefined
    const known = this.lines.get(cite.path)
    if (!known) return undefined
    const texts: string[] = []
    for (let line = cite.from; line <= (cite.to ?? cite.from); line++) {
      const text = known.get(line)
      if (text === undefined) return undefined
      texts.push(text)
    }
    return `${cite.path}\n${texts.join('\n')}`
  }
}
