import { realpathSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { toSvcError } from '../../errors.ts'
import type { FoundFolder } from '../find/find-project.ts'
import { kindOf } from '../find/paths.ts'
import { invalid } from '../read/config-error.ts'
import { type ReadFile, toText } from '../read/read-data.ts'
import { splitSettings } from './front-matter.ts'
import { type LeftOut, namesIn } from './left-out.ts'

/** A task that a person asks for by a name: `/name args`. */
export interface LoadedCommand {
  name: string
  description?: string
  /** What it is called with, in words. */
  argumentHint?: string
  /** The task, with `$ARGUMENTS` and `$1` to `$9` where what it is called with goes. */
  template: string
  /** The file that it is from. */
  source: string
}

const MOST_BYTES = 100_000
const ENDING = '.md'
const NAME = /^[a-z0-9][a-z0-9_.-]{0,63}$/i

/** The files that define commands. */
export const listCommands = (folders: readonly FoundFolder[]): string[] =>
  folders.flatMap(({ folder }) =>
    namesIn(folder)
      .filter((name) => name.endsWith(ENDING) && !/^readme\.md$/i.test(name))
      .map((name) => join(folder, name)),
  )

/**
 * Reads the commands of folders. Of two with one name the first counts.
 *
 * @param readFile what it reads through; throws for a file that may not be read
 * @returns sorted by name; those that cannot be used are in `left`
 */
export async function loadCommands(
  folders: readonly FoundFolder[],
  readFile: ReadFile,
): Promise<{ commands: LoadedCommand[]; left: LeftOut[] }> {
  const commands = new Map<string, LoadedCommand>()
  const left: LeftOut[] = []
  for (const found of folders) {
    for (const file of listCommands([found])) {
      try {
        const command = await readCommand(file, found.bounds, readFile)
        if (!commands.has(command.name)) commands.set(command.name, command)
      } catch (thrown) {
        left.push({ file, why: toSvcError(thrown).message })
      }
    }
  }
  return { commands: [...commands.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), left }
}

async function readCommand(file: string, bounds: string, readFile: ReadFile): Promise<LoadedCommand> {
  if (kindOf(file) !== 'file') throw invalid(file, 'is not a regular file')
  const real = realpathSync(file)
  if (!real.startsWith(`${realpathSync(bounds)}${sep}`))
    throw invalid(file, `is a link that leads out of the folder, to ${real}`)
  const name = basename(file, ENDING)
  if (!NAME.test(name))
    throw invalid(file, 'its name is no name of a command: letters, digits, "_", "." and "-", at most 64')
  const { settings, body } = await splitSettings(toText(readFile(real, MOST_BYTES), file), file)
  if (body === '') throw invalid(file, 'holds no task: the text below its settings is what the command asks for')
  const { description, 'argument-hint': hint } = settings
  return {
    name,
    ...(isText(description) && { description: description.trim() }),
    ...(isText(hint) && { argumentHint: hint.trim() }),
    template: body,
    source: file,
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''
