import type { Tool } from '@svc/core'
import { builtinTools, createRecallTool, createRememberTool, ProgramRunner } from '../../plugins/src/tools/index.ts'
import { NOTHING_GUARDED } from '../../plugins/src/tools/programs/always-ask.ts'
import { code, page, table } from './markdown.ts'
import { fieldTable, type Schema } from './schema.ts'

/** Every tool that svc brings, as a model is offered it. */
export function tools(): string {
  const guarded = NOTHING_GUARDED
  const memory = { get: () => undefined }
  const all = [
    ...builtinTools({ guarded, runner: new ProgramRunner({ guarded }), shell: true, git: true }),
    createRecallTool(memory),
    createRememberTool(memory),
  ].sort((a, b) => a.id.localeCompare(b.id, 'en'))
  return page(
    '# Built-in tools',
    'Written from the tools in `plugins/src/tools` by `npm run fix`. How they behave, and how to add one: [tools.md](../tools.md). What becomes of a call of each risk, where no rule says otherwise: `read` runs; `write`, `network` and `execute` ask ([rules](../config.md#policy)).',
    table(
      ['tool', 'risk', 'what it does'],
      all.map((tool) => [`[${code(tool.id)}](#${tool.id})`, code(tool.risk), firstSentence(tool.description)]),
    ),
    ...all.flatMap((tool) => [
      `## ${tool.id}`,
      tool.description,
      fieldTable(tool.parameters as Schema),
      facts(tool).join('; '),
    ]),
  )
}

const firstSentence = (text: string): string => /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text

function facts({
  risk,
  idempotent,
  untrusted,
  needsPerson,
  needsAgents,
  timeoutMs = 30_000,
  maxOutputBytes = 65_536,
}: Tool): string[] {
  return [
    `Risk ${code(risk)}`,
    `at most ${timeoutMs / 1000} s`,
    `results of at most ${maxOutputBytes} bytes`,
    ...(idempotent ? ['calling it twice with one key is the same as once'] : []),
    ...(untrusted ? ['what it returns counts as untrusted'] : []),
    ...(needsPerson ? ['offered only where somebody answers'] : []),
    ...(needsAgents ? ['offered where there are agent profiles, or `tools.allow` names it'] : []),
  ].map((fact, index, { length }) => (index === length - 1 ? `${fact}.` : fact))
}
