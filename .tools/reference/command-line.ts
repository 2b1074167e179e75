import { type CommandSpec, nameOf, type OptionSpec } from '../../cli/src/line/command-spec.ts'
import { EXIT_CODES } from '../../cli/src/line/exit-codes.ts'
import { SPECS } from '../../cli/src/line/specs.ts'
import { anchorOf, page, table, toProse } from './markdown.ts'

/** Every command, option and exit code of `svc`. */
export function commandLine(): string {
  const { commands, options } = SPECS
  return page(
    '# Commands of `svc`',
    'Written from `cli/src/line/specs.ts` by `npm run fix`. How they are used: [cli.md](../cli.md), [runs.md](../runs.md).',
    table(
      ['command', 'what it does'],
      commands.map((spec) => [`[\`svc ${spec.usage}\`](#${anchorOf(`svc ${nameOf(spec)}`)})`, aboutOf(spec)]),
    ),
    '## Options of every command',
    optionTable(options),
    '## Exit codes',
    table(['code', 'meaning'], EXIT_CODES),
    ...commands.flatMap((spec) => [
      `## svc ${nameOf(spec)}`,
      `\`svc ${spec.usage}\`: ${aboutOf(spec)}.`,
      ...(spec.options === undefined ? [] : [optionTable(spec.options)]),
      ...(spec.examples === undefined ? [] : [spec.examples.map((line) => `- \`${line}\``).join('\n')]),
    ]),
  )
}

function aboutOf(spec: CommandSpec): string {
  const [group = '', word] = nameOf(spec).split(' ')
  const usual = SPECS.groups[group]?.usual
  const short = usual !== undefined && word === usual ? `; \`svc ${group}\` is the same` : ''
  const alias = spec.alias === undefined ? '' : `; \`svc ${spec.alias}\` is the same`
  return `${toProse(spec.about)}${short}${alias}`
}

const optionTable = (options: readonly OptionSpec[]): string =>
  table(
    ['option', 'meaning'],
    options.map(([flags, about]) => [`\`${flags}\``, toProse(about)]),
  )
