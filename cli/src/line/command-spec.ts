import type { CommandContext } from '../frame/context.ts'

/** An option as help shows it: `-q, --quiet` or `--model <name>`; `many` may be given again. */
export type OptionSpec = readonly [flags: string, about: string, many?: 'many']

/** One command: its words, its options, and where its code is. */
export interface CommandSpec {
  /** As cac reads it: the name, of two words in a group, then the words that follow it. */
  usage: string
  about: string
  /** Another name. */
  alias?: string
  /** What the first word after the name may be. */
  choices?: readonly string[]
  /** What is said where a word is missing: what it is, and where to find one. */
  needs?: string
  options?: readonly OptionSpec[]
  examples?: readonly string[]
  load(): Promise<{ default: Perform }>
}

/** Runs a command. @returns the exit code */
export type Perform = (context: CommandContext, words: string[], specs: Specs) => Promise<number>

/** Commands with a first word in common, such as `svc runs list` and `svc runs get`. */
export interface GroupSpec {
  about: string
  /** The action where none is named; absent: help is shown. */
  usual?: string
}

/** Everything that a command line may say. */
export interface Specs {
  commands: readonly CommandSpec[]
  groups: Readonly<Record<string, GroupSpec>>
  /** Options that every command takes. */
  options: readonly OptionSpec[]
}

/** The name of a command: its usage without the words that follow it. */
export const nameOf = ({ usage }: CommandSpec): string => (usage.split(/[<[]/, 1)[0] ?? '').trim()

/** The commands of a group by the word that chooses them. */
export function actionsOf({ commands }: Specs, group: string): Map<string, CommandSpec> {
  const own = commands.filter((spec) => nameOf(spec).startsWith(`${group} `))
  return new Map(own.map((spec) => [nameOf(spec).slice(group.length + 1), spec]))
}

/** The names of an option, such as `-q` and `--quiet`. */
export const flagsOf = ([flags]: OptionSpec): string[] => flags.replace(/ <.*/, '').split(', ')
