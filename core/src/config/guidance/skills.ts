import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { toSvcError } from '../../errors.ts'
import type { FoundFolder } from '../find/find-project.ts'
import { kindOf } from '../find/paths.ts'
import { invalid } from '../read/config-error.ts'
import { type ReadFile, toText } from '../read/read-data.ts'
import { splitSettings } from './front-matter.ts'
import { type LeftOut, namesIn } from './left-out.ts'

/** A skill: instructions that an agent reads when a task wants them. */
export interface LoadedSkill {
  name: string
  /** On one line. */
  description: string
  /** What stands below its settings. */
  body: string
  /** Where it lies, with links resolved: its `SKILL.md` and what that names. */
  folder: string
  /** True for one of the person's own, which lies outside of any workspace. */
  isPersonal: boolean
  /** The tools that it says it needs. It is given none by that. */
  allowedTools?: string[]
}

const FILE = 'SKILL.md'
/** Fits into one result of a tool. */
const MOST_BYTES = 60_000
/** By the specification. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const MOST_NAME = 64
const MOST_DESCRIPTION = 1_024

/** The `SKILL.md` of each skill of a project, whether it can be used or not. */
export const listSkills = (folders: readonly FoundFolder[]): string[] =>
  folders.flatMap(({ folder }) =>
    namesIn(folder)
      .map((name) => join(folder, name, FILE))
      .filter((file) => existsSync(file)),
  )

/**
 * Reads the skills of folders, by the specification of agentskills.io. Of two with one name the first counts.
 *
 * @param readFile what it reads through; throws for a file that may not be read
 * @returns sorted by name; those that cannot be used are in `left`
 */
export async function loadSkills(
  folders: readonly FoundFolder[],
  isPersonal: boolean,
  readFile: ReadFile,
): Promise<{ skills: LoadedSkill[]; left: LeftOut[] }> {
  const skills = new Map<string, LoadedSkill>()
  const left: LeftOut[] = []
  const seen = new Set<string>()
  for (const found of folders) {
    for (const file of listSkills([found])) {
      try {
        const real = realOf(file, found.bounds)
        if (seen.has(real)) continue // a link to one that was read
        seen.add(real)
        const skill = await readSkill(file, real, isPersonal, readFile)
        if (!skills.has(skill.name)) skills.set(skill.name, skill)
      } catch (thrown) {
        left.push({ file, why: toSvcError(thrown).message })
      }
    }
  }
  return { skills: [...skills.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), left }
}

/** @throws ConfigError where it lies outside: nobody who trusted the folder has looked at it */
function realOf(file: string, bounds: string): string {
  const real = realpathSync(file)
  if (kindOf(real) !== 'file') throw invalid(file, 'is not a regular file')
  const folder = realpathSync(dirname(file))
  if (real !== join(folder, FILE) || !folder.startsWith(`${realpathSync(bounds)}${sep}`))
    throw invalid(file, `is a link that leads out of its folder, to ${real}`)
  return real
}

async function readSkill(file: string, real: string, isPersonal: boolean, readFile: ReadFile): Promise<LoadedSkill> {
  const { settings, body } = await splitSettings(toText(readFile(real, MOST_BYTES), file), file)
  const { name, description, 'allowed-tools': allowed } = settings
  const folder = dirname(file)
  const expected = folder.slice(folder.lastIndexOf(sep) + 1)
  if (typeof description !== 'string' || description.trim() === '')
    throw invalid(file, '/description is missing: it says what the skill does and when to use it')
  if (name !== expected) throw invalid(file, `/name must be the name of its folder, "${expected}"`)
  if (!NAME.test(expected) || expected.length > MOST_NAME)
    throw invalid(file, `/name must be 1 to ${MOST_NAME} lower case letters (a-z), digits and single "-" between them`)
  const words = description.trim().replace(/\s+/g, ' ')
  const allowedTools = toWords(allowed)
  return {
    name: expected,
    description: words.length > MOST_DESCRIPTION ? `${words.slice(0, MOST_DESCRIPTION - 1)}…` : words,
    body,
    folder: dirname(real),
    isPersonal,
    ...(allowedTools.length > 0 && { allowedTools }),
  }
}

/** A list, or words with spaces between them; one may hold spaces in parentheses, as `Bash(git add *)` does. */
function toWords(allowed: unknown): string[] {
  const texts = Array.isArray(allowed) ? allowed : [allowed]
  return texts.flatMap((text) => (typeof text === 'string' ? (text.match(/[^\s,(]+(?:\([^)]{0,200}\))?/g) ?? []) : []))
}
