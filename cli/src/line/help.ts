import { VERSION } from '@svc/core/version'
import { actionsOf, type CommandSpec, nameOf, type Specs } from './command-spec.ts'
import { EXIT_CODES } from './exit-codes.ts'
import { wrap } from './wrap.ts'

const WIDTH = 80

/** A part of a help page, as cac prints it. */
interface Section {
  title?: string
  body: string
}

/**
 * The help page of a command as cac made it, within 80 columns; of a group, or of svc, one of their commands.
 *
 * @param topic name of a command or group; empty for svc itself
 */
export function layOutHelp(sections: readonly Section[], specs: Specs, topic: string): Section[] {
  const actions = [...actionsOf(specs, topic).values()].map(toRow)
  if (Object.hasOwn(specs.groups, topic))
    return [
      { body: `svc ${topic} <action>: ${specs.groups[topic]?.about}` },
      { title: 'Actions', body: columns(actions) },
      { body: `svc ${topic} <action> --help shows the options of an action.` },
    ]
  const spec = specs.commands.find((one) => nameOf(one) === topic || one.alias === topic)
  if (spec !== undefined)
    return [
      { body: wrap(`svc ${spec.usage}: ${spec.about}`, WIDTH).join('\n') },
      ...(actions.length === 0 ? [] : [{ title: 'Actions', body: columns(actions) }]),
      ...sections.slice(2).map(({ title = '', body }) => ({ title, body: title === 'Options' ? rewrap(body) : body })),
    ]
  const top = specs.commands.filter((one) => !nameOf(one).includes(' '))
  const groups = Object.entries(specs.groups).map(([name, { about }]) => [`${name} <action>`, about] as const)
  return [
    { body: `svc ${VERSION}: one agent or many on a task` },
    { title: 'Usage', body: '  svc "<task>"\n  svc <command> [options]' },
    { title: 'Commands', body: columns([...top.map(toRow), ...groups]) },
    { title: 'Options of every command', body: columns(specs.options.map(([flags, about]) => [flags, about])) },
    {
      title: 'Examples',
      body: top
        .flatMap(({ examples = [] }) => examples.slice(0, 1))
        .map((line) => `  ${line}`)
        .join('\n'),
    },
    { title: 'Exit codes', body: columns(EXIT_CODES) },
    { body: 'svc help <command> shows the options of a command.' },
  ]
}

const toRow = ({ usage, about }: CommandSpec): readonly [string, string] => [usage, about]

/** Lines that cac has made of two columns. */
const rewrap = (body: string): string =>
  columns(body.split('\n').map((line) => /^ {2}(.+?) {2,}(.*)$/.exec(line)?.slice(1, 3) as [string, string]))

/** Two columns; what does not fit goes on under the second. */
function columns(rows: readonly (readonly [string, string])[]): string {
  const left = Math.max(...rows.map(([head]) => head.length)) + 2
  return rows
    .flatMap(([head, text]) => {
      const [first = '', ...more] = wrap(text.trim(), WIDTH - left - 2)
      return [`  ${head.padEnd(left)}${first}`, ...more.map((line) => ' '.repeat(left + 2) + line)]
    })
    .join('\n')
}
