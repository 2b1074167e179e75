import { TOPOLOGIES } from '@svc/core'
import type { AllSpecs, CommandSpec, OptionSpec } from './command-spec.ts'
import { LOG_LEVELS } from './log-settings.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** Values of options that are one of a few words. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  '--topology': ['AUTO', ...TOPOLOGIES],
  '--risk': ['low', 'medium', 'high', 'critical'],
  '--effort': ['low', 'medium', 'high'],
  '--output': ['text', 'json', 'stream-json'],
  '--log-level': LOG_LEVELS,
}

/** A script for a shell, with every command, its actions and its options. */
export function renderCompletion(shell: Shell, all: AllSpecs): string {
  return { bash, zsh, fish }[shell](toWords(all), all)
}

/** The first words that a command takes, as its description lists them: `list | get <id>: ...`. */
function actionsOf(name: string, { about }: CommandSpec): readonly string[] {
  if (name === 'completion') return SHELLS
  const [head = ''] = about.split(':')
  const words = head.includes(' | ') ? head.split(' | ').map((action) => action.split(' ')[0] ?? '') : []
  return words.filter((word) => !word.startsWith('<'))
}

const flagsOf = ([flags]: OptionSpec): string[] => flags.replace(/(?:(?<!\s)\s+)?<.*/, '').split(', ')
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

function toWords({ commands, options: globals }: AllSpecs): Words {
  const specs = Object.entries(commands)
  const allOf = ({ options = [] }: CommandSpec): OptionSpec[] => [...options, ...globals]
  const isPath = ([flags]: OptionSpec): boolean => flags.includes('<path>')
  return {
    names: Object.keys(commands).join('|'),
    paths: [...new Set(specs.flatMap(([, spec]) => allOf(spec).filter(isPath).map(longOf)))].join('|'),
    cases: [
      ...Object.entries(VALUES).map(([flag, values]) => [`*:${flag}`, values.join(' ')] as const),
      [':*', [...Object.keys(commands), 'help', ...globals.map(longOf)].join(' ')],
      ...specs.map(
        ([name, spec]) => [`${name}:*`, [...actionsOf(name, spec), ...allOf(spec).map(longOf)].join(' ')] as const,
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

const fish = (_: Words, { commands, options: globals }: AllSpecs): string => {
  const specs = Object.entries(commands)
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
    ...specs.map(([name, { about }]) => `complete -c svc -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`),
    ...globals.map((spec) => option('', spec)),
    ...specs.flatMap(([name, spec]) => {
      const when = ` -n '__fish_seen_subcommand_from ${name}'`
      const actions = actionsOf(name, spec)
      return [
        ...(actions.length === 0 ? [] : [`complete -c svc${when} -a ${quoted(actions.join(' '))}`]),
        ...(spec.options ?? []).map((each) => option(when, each)),
      ]
    }),
  ].join('\n')}\n`
}
