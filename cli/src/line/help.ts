import { VERSION } from '@svc/core/version'
import { actionsOf, type CommandSpec, findSpec, nameOf, type Specs } from './command-spec.ts'
import { EXIT_CODES } from './exit-codes.ts'
import { wrap } from './wrap.ts'

const WIDTH = 80

/** A part of a help page. */
interface Section {
  title?: string
  body: string
}

/**
 * A help page within 80 columns.
 *
 * @param topic name of a command or group; empty for svc itself
 */
export function renderHelp(specs: Specs, topic: string): string {
  return sectionsOf(specs, topic)
    .map(({ title, body }) => `${title === undefined ? '' : `${title}:\n`}${body}\n`)
    .join('\n')
}

function sectionsOf(specs: Specs, topic: string): Section[] {
  const actions = [...actionsOf(specs, topic).values()].map(toRow)
  if (Object.hasOwn(specs.groups, topic))
    return [
      { body: `svc ${topic} <action>: ${specs.groups[topic]?.about}` },
      { title: 'Actions', body: columns(actions) },
      { body: `svc ${topic} <action> --help shows the options of an action.` },
    ]
  const spec = findSpec(topic, specs)
  if (spec !== undefined)
    return [
      { body: wrap(`svc ${spec.usage}: ${spec.about}`, WIDTH).join('\n') },
      ...(actions.length === 0 ? [] : [{ title: 'Actions', body: columns(actions) }]),
      { title: 'Options', body: columns(optionsOf(spec, specs)) },
      ...(spec.examples === undefined ? [] : [{ title: 'Examples', body: indent(spec.examples) }]),
    ]
  const top = specs.commands.filter((one) => !nameOf(one).includes(' '))
  const groups = Object.entries(specs.groups).map(([name, { about }]) => [`${name} <action>`, about] as const)
  return [
    { body: `svc ${VERSION}: one agent or many on a task` },
    { title: 'Usage', body: '  svc "<task>"\n  svc <command> [options]' },
    { title: 'Commands', body: columns([...top.map(toRow), ...groups]) },
    { title: 'Options of every command', body: columns(specs.options.map(([flags, about]) => [flags, about])) },
    { title: 'Examples', body: indent(top.flatMap(({ examples = [] }) => examples.slice(0, 1))) },
    { title: 'Exit codes', body: columns(EXIT_CODES) },
    { body: 'svc help <command> shows the options of a command.' },
  ]
}

/** The options of a command, then those of every command; the version is only that of svc. */
function optionsOf({ options = [] }: CommandSpec, specs: Specs): (readonly [string, string])[] {
  const ofAll = specs.options.filter(([flags]) => !/--(?:help|version)/.test(flags))
  return [...options, ['-h, --help', 'Display this message'] as const, ...ofAll].map(([flags, about]) => [flags, about])
}

const toRow = ({ usage, about }: CommandSpec): readonly [string, string] => [usage, about]

const indent = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n')

/** Two columns; what does not fit goes on under the second. */
function columns(rows: readonly (readonly [string, string])[]): string {
  const left = Math.max(...rows.map(([head]) => head.length)) + 2
  return rows
    .flatMap(([head, text]) => {
      const [first = '', ...more] = wrap(text, WIDTH - left - 2)
      return [`  ${head.padEnd(left)}${first}`, ...more.map((line) => ' '.repeat(left + 2) + line)]
    })
    .join('\n')
}
