import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { ConfigError } from '@svc/core'
import type { Cell, ExperimentDesign } from './record.ts'

/** What names a cell. */
export const keyOf = ({ arm, task, seed }: Pick<Cell, 'arm' | 'task' | 'seed'>): string => `${arm} ${task} ${seed}`

/** What an experiment has measured so far, on disk. */
export class ExperimentFolder {
  readonly path: string
  readonly #cells = new Map<string, Cell>()
  /** What all lines took, those of cells that were made again included. */
  readonly #all: Cell[] = []
  #descriptor: number | undefined

  /** @throws ConfigError `config_invalid` for a folder whose lines are broken in the middle */
  constructor(path: string) {
    this.path = path
    for (const cell of readCells(this.#file)) this.#remember(cell)
  }

  get #file(): string {
    return join(this.path, 'cells.jsonl')
  }

  /** The newest line of each cell. */
  get cells(): readonly Cell[] {
    return [...this.#cells.values()]
  }

  /** Every line, also of runs that were made again: what they took was paid. */
  get all(): readonly Cell[] {
    return this.#all
  }

  /** Whether a run has been made and need not be made again. */
  has(cell: Pick<Cell, 'arm' | 'task' | 'seed'>): boolean {
    const known = this.#cells.get(keyOf(cell))
    return known !== undefined && known.outside !== true
  }

  readDesign(): ExperimentDesign | undefined {
    const file = join(this.path, 'design.json')
    if (!existsSync(file)) return undefined
    try {
      const design = JSON.parse(readFileSync(file, 'utf8')) as ExperimentDesign | null
      if (design?.format !== 1) throw new TypeError('format is not 1')
      return design
    } catch (cause) {
      throw new ConfigError('config_invalid', `${file}: cannot be read: move the folder aside with --fresh`, { cause })
    }
  }

  /** @throws ConfigError `config_invalid` where there is none yet, or it cannot be read */
  getDesign(): ExperimentDesign {
    const design = this.readDesign()
    if (design !== undefined) return design
    throw new ConfigError('config_invalid', `${this.path}: holds no experiment yet: make its runs with svc experiment`)
  }

  writeDesign(design: ExperimentDesign): void {
    this.write('design.json', `${JSON.stringify(design, null, 2)}\n`)
  }

  /** Writes a file whole or not at all. @returns its path */
  write(name: string, content: string | Uint8Array): string {
    const file = join(this.path, name)
    mkdirSync(dirname(file), { recursive: true })
    const draft = `${file}.${process.pid}.part`
    const descriptor = openSync(draft, 'w', 0o600)
    try {
      writeFileSync(descriptor, content)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(draft, file)
    return file
  }

  /** Adds a line, and returns when it is on the disk. */
  add(cell: Cell): void {
    this.#descriptor ??= this.#open()
    writeSync(this.#descriptor, `${JSON.stringify(cell)}\n`)
    fsyncSync(this.#descriptor)
    this.#remember(cell)
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  /** Opens the file for appending, without a half-written last line. */
  #open(): number {
    mkdirSync(this.path, { recursive: true })
    const descriptor = openSync(this.#file, 'a+', 0o600)
    ftruncateSync(descriptor, readFileSync(this.#file).lastIndexOf('\n') + 1)
    return descriptor
  }

  #remember(cell: Cell): void {
    this.#cells.set(keyOf(cell), cell)
    this.#all.push(cell)
  }
}

/** The lines that were written whole. */
function readCells(file: string): Cell[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line, index) => {
    try {
      return JSON.parse(line) as Cell
    } catch (cause) {
      throw new ConfigError(
        'config_invalid',
        `${file}: line ${index + 1} is broken: move the folder aside with --fresh`,
        {
          cause,
        },
      )
    }
  })
}

/** Gives a folder another name, so that the experiment begins anew. @returns the new name; undefined where there is none */
export function moveAside(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  const time = new Date().toISOString().replace(/[:.]/g, '-')
  const aside = `${path}.${time}`
  renameSync(path, aside)
  rmSync(join(aside, 'lock'), { force: true })
  return aside
}
