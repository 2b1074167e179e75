import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** A file of the data folder is not there. */
export class MissingData extends Error {
  override readonly name = 'MissingData'
}

/** The folder that a bench reads, never the repository's own. */
export class DataFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  has(file: string): boolean {
    return existsSync(join(this.path, file))
  }

  /**
   * One file: `.json` as it is, `.jsonl` as a list, either gzipped where the name ends in `.gz`.
   *
   * @throws MissingData when it is not there
   */
  load<T>(file: string): T {
    const path = join(this.path, file)
    if (!existsSync(path)) throw new MissingData(`${file} is not in ${this.path}`)
    const bytes = readFileSync(path)
    const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')
    if (!file.includes('.jsonl')) return JSON.parse(text) as T
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line) as unknown) as T
  }
}
