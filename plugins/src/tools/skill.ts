import { join } from 'node:path'
import { type RunContext, type Tool, type ToolContext, type ToolDecision, ToolError } from '@svc/core'
import type { LoadedSkill } from '@svc/core/config'
import * as Type from 'typebox'
import { checkArgs } from './configured/check-args.ts'
import { walk } from './files/find/walk.ts'
import { scopeOf } from './files/outside-folders.ts'
import { resolveInside } from './files/workspace.ts'

/** Characters that names and descriptions take together: they are part of every request. */
const MOST_LISTED = 16_000
const MOST_FILES = 50
const ID = 'skill'

/** Those whose names and descriptions have room in a request, and those that have none. */
export function fitSkills(skills: readonly LoadedSkill[]): { listed: LoadedSkill[]; left: LoadedSkill[] } {
  let room = MOST_LISTED
  const listed: LoadedSkill[] = []
  const left: LoadedSkill[] = []
  for (const skill of skills) {
    room -= lineOf(skill).length + 1
    if (room >= 0) listed.push(skill)
    else left.push(skill)
  }
  return { listed, left }
}

/**
 * A tool that hands out what a skill says. Names and descriptions stand in its own description, in order, so that agents with
 * tools know them from their first request on, and every request of a folder begins with the same bytes.
 *
 * @param skills at least one; as they were read, and compared with the record of trust, when the config was loaded
 */
export function createSkillTool(skills: readonly LoadedSkill[]): Tool {
  const parameters = Type.Object({ name: Type.Enum(skills.map(({ name }) => name)) }, { additionalProperties: false })
  const find = (args: unknown): LoadedSkill => {
    const { name } = checkArgs(ID, parameters, args)
    const found = skills.find((skill) => skill.name === name)
    if (found === undefined) throw new ToolError('tool_bad_args', `there is no skill "${name}"`)
    return found
  }
  return {
    id: ID,
    description: [
      'Shows the instructions of a skill: how one kind of work is done here. Read it before you begin work that its description fits.',
      ...skills.map(lineOf),
    ].join('\n'),
    parameters: { ...parameters },
    risk: 'read',
    idempotent: true,
    timeoutMs: 20_000,
    maxOutputBytes: 65_536,
    touches: async (args) => ({ paths: [join(find(args).folder, 'SKILL.md')] }),
    async run(args, { signal, check }) {
      const skill = find(args)
      const files = await filesBeside(skill, signal, check)
      return [
        `Skill ${skill.name}, in ${skill.folder}. Paths in it start there; read its files with read_file, by their whole path.`,
        ...(files.length === 0 ? [] : [`Files: ${files.join(', ')}`]),
        ...(skill.allowedTools === undefined ? [] : [`It is meant for these tools: ${skill.allowedTools.join(', ')}.`]),
        '',
        skill.body,
      ].join('\n')
    },
  }
}

const lineOf = ({ name, description }: LoadedSkill): string => `- ${name}: ${description}`

/** The first of its files by name, as far as rules let them be read; none where the folder is gone. */
async function filesBeside(
  { folder }: LoadedSkill,
  signal: AbortSignal,
  check: ToolContext['check'],
): Promise<string[]> {
  const scope = scopeOf({ workspace: folder, check }, folder, [folder])
  const files: string[] = []
  try {
    for await (const { kind, path } of walk(await resolveInside(scope, '.'), { signal })) {
      if (kind === 'file' && path !== 'SKILL.md') files.push(path)
      if (files.length > MOST_FILES) break
    }
  } catch {
    signal.throwIfAborted()
  }
  const shown = files.sort().slice(0, MOST_FILES)
  return files.length > MOST_FILES ? [...shown, '…'] : shown
}

/**
 * What a skill says of its tools, as far as it tightens: an agent that has read skills which name tools of this run, and no
 * others, calls these alone. A name that is none of a tool here, as other programs have them, narrows nothing.
 */
export function narrow(
  skills: readonly LoadedSkill[],
  { tool, agentId }: { tool: string; agentId: string },
  { tools, view }: Pick<RunContext, 'tools' | 'view'>,
): ToolDecision | undefined {
  const read = view.toolCalls.filter(
    (call) => call.tool === ID && call.agentId === agentId && call.status === 'completed',
  )
  const names = new Set(read.map(({ args }) => (args as { name?: string } | undefined)?.name))
  const used = skills.filter(({ name }) => names.has(name))
  const isFree = ({ allowedTools }: LoadedSkill): boolean =>
    allowedTools === undefined || !allowedTools.every((id) => tools.some((known) => known.id === id))
  if (used.length === 0 || tool === ID || used.some(isFree)) return undefined
  if (used.some(({ allowedTools = [] }) => allowedTools.includes(tool))) return undefined
  const which = used.map(({ name, allowedTools = [] }) => `the skill ${name} allows ${allowedTools.join(', ')}`)
  return { decision: 'deny', reason: which.join('; ') }
}
