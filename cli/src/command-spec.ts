import type { CommandContext } from './context.ts'

/** An option as help shows it: `-q, --quiet` or `--model <name>`; `many` may be given again. */
export type OptionSpec = readonly [flags: string, about: string, many?: 'many']

/** One command: its name, its options, and where its code is. */
export interface CommandSpec {
  /** As cac reads it: the name, then what words it takes. */
  usage: string
  about: string
  /** Another word for a command, which help does not list. */
  isAlias?: true
  /** What its first word may be, with the words after it, and what it does then. */
  actions?: readonly (readonly [words: string, about: string])[]
  options?: readonly OptionSpec[]
  examples?: readonly string[]
  load(): Promise<{ default: (context: CommandContext, words: string[], all: AllSpecs) => Promise<number> }>
}

/** Everything that a command line may say. */
export interface AllSpecs {
  commands: Readonly<Record<string, CommandSpec>>
  /** Options that every command takes. */
  options: readonly OptionSpec[]
}
