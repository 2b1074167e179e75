import { TOPOLOGIES } from '@svc/core'
import { LOG_LEVELS } from '../session/log-options.ts'
import { actionsOf, flagsOf, nameOf, type OptionSpec, type Specs } from './command-spec.ts'

export type Shell = 'bash' | 'zsh' | 'fish'

/** Values of options that are one of a few words. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  '--topology': ['AUTO', ...TOPOLOGIES],
  '--risk': ['low', 'medium', 'high', 'critical'],
  '--effort': ['low', 'medium', 'high'],
  '--output': ['text', 'json', 'stream-json'],
  '--log-level': LOG_LEVELS,
}

/** What the first word of a command line leads to. */
interface Entry {
  name: string
  about: string
  /** Words that may follow: actions, or choices. */
  words: readonly string[]
  options: readonly OptionSpec[]
}

/** A script for a shell, with every command, its actions and its options. */
export function renderCompletion(shell: Shell, specs: Specs): string {
  const entries = toEntries(specs)
  return { bash, zsh, fish }[shell](toWords(entries, specs), entries, specs)
}

function toEntries(specs: Specs): Entry[] {
  const commands = specs.commands.filter((spec) => !nameOf(spec).includes(' '))
  const names = commands.flatMap(({ alias, ...spec }) => [
    { ...spec, name: nameOf(spec) },
    ...(alias === undefined ? [] : [{ ...spec, name: alias }]),
  ])
  const groups = Object.entries(specs.groups).map(([name, { about }]) => ({ name, about, choices: [], options: [] }))
  return [...names, ...groups].map(({ name, about, choices = [], options = [] }) => {
    const actions = actionsOf(specs, name)
    const all = [...options, ...[...actions.values()].flatMap((action) => action.options ?? [])]
    const unique = new Map(all.map((option) => [longOf(option), option]))
    return { name, about, words: [...choices, ...actions.keys()], options: [...unique.values()] }
  })
}

const longOf = (option: OptionSpec): string => flagsOf(option).at(-1) ?? ''

/** What stands where on a command line, as shells of Bourne's syntax want it. */
interface Words {
  /** Names of the commands, with `|` between them. */
  names: string
  /** Options whose value is a path, with `|` between them. */
  paths: string
  /** Lines of a `case`: what may follow an option, or a command; the lists between spaces. */
  cases: readonly (readonly [pattern: string, words: string])[]
}

function toWords(entries: readonly Entry[], { options: globals }: Specs): Words {
  const names = entries.map(({ name }) => name)
  const isPath = ([flags]: OptionSpec): boolean => flags.includes('<path>')
  const all = [...globals, ...entries.flatMap(({ options }) => options)]
  return {
    names: names.join('|'),
    paths: [...new Set(all.filter(isPath).map(longOf))].join('|'),
    cases: [
      ...Object.entries(VALUES).map(([flag, values]) => [`*:${flag}`, values.join(' ')] as const),
      [':*', [...names, 'help', ...globals.map(longOf)].join(' ')],
      ...entries.map(
        ({ name, words, options }) =>
          [`${name}:*`, [...words, ...[...options, ...globals].map(longOf)].join(' ')] as const,
      ),
    ],
  }
}

const bash = ({ names, paths, cases }: Words): string => `# source <(svc completion bash)
_svc() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in ${names}) command=\${COMP_WORDS[i]}; break ;; esac
  done
  COMPREPLY=()
  case $before in ${paths}) return ;; esac
  case $command:$before in
${cases.map(([pattern, words]) => `    ${pattern}) words='${words}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _svc svc
`

const zsh = ({ names, paths, cases }: Words): string => `#compdef svc
# source <(svc completion zsh), after compinit
_svc() {
  local before=\${words[CURRENT-1]} command= word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case $word in (${names}) command=$word; break ;; esac
  done
  case $before in (${paths}) _files; return ;; esac
  case $command:$before in
${cases.map(([pattern, words]) => `    (${pattern}) compadd -- ${words} ;;`).join('\n')}
  esac
}
if [ "$funcstack[1]" = _svc ]; then _svc "$@"; else compdef _svc svc; fi
`

const fish = (_: Words, entries: readonly Entry[], { options: globals }: Specs): string => {
  const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
  const option = (when: string, spec: OptionSpec): string => {
    const [flags, about] = spec
    const long = longOf(spec)
    const short = flagsOf(spec).find((flag) => /^-\w$/.test(flag))
    const values = VALUES[long]
    const value = !flags.includes('<')
      ? ''
      : flags.includes('<path>')
        ? ' -r -F'
        : ` -x${values === undefined ? '' : ` -a ${quoted(values.join(' '))}`}`
    return `complete -c svc${when}${short === undefined ? '' : ` -s ${short.slice(1)}`} -l ${long.slice(2)}${value} -d ${quoted(about)}`
  }
  return `${[
    '# svc completion fish | source',
    'complete -c svc -f',
    'complete -c svc -n __fish_use_subcommand -a help',
    ...entries.map(({ name, about }) => `complete -c svc -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`),
    ...globals.map((spec) => option('', spec)),
    ...entries.flatMap(({ name, words, options }) => {
      const when = ` -n '__fish_seen_subcommand_from ${name}'`
      return [
        ...(words.length === 0 ? [] : [`complete -c svc${when} -a ${quoted(words.join(' '))}`]),
        ...options.map((each) => option(when, each)),
      ]
    }),
  ].join('\n')}\n`
}
