import type { LoadedConfig, RunCreate } from '@svc/core'
import { type LoadedCommand, skippedDefinitionError } from '@svc/core/config'
import type { Started } from '../session/start-own.ts'

/** A command as a person is shown it. */
export type CommandInfo = Pick<LoadedCommand, 'name' | 'description' | 'argumentHint'>

/** Somewhere that commands come from. */
export interface CommandSource {
  list(): Promise<readonly CommandInfo[]>
  /** The task that `/name args` stands for, with what comes with it; undefined for a name of no command here. */
  expand(name: string, args: string): Promise<Expanded | undefined>
}

/** What of a request is otherwise. */
type Expanded = Partial<RunCreate> & Pick<RunCreate, 'task'>

/** What a person may have meant as a command: `/name`, and what follows. A path has more than one `/`. */
export function readCall(text: string): { name: string; args: string } | undefined {
  const [, name, args = ''] = /^\/([^\s/]+)(?:\s([\s\S]*))?$/.exec(text.trim()) ?? []
  return name === undefined ? undefined : { name, args: args.trim() }
}

/** Where commands come from, the strongest first. */
export const commandSources = ({ loaded }: Pick<Started, 'loaded'>): CommandSource[] =>
  loaded === undefined ? [] : [commandFiles(loaded)]

/**
 * The request that one stands for whose task calls a command, by the first source that knows it.
 *
 * @returns undefined where the task calls none
 * @throws ConfigError `config_untrusted` for a command of a folder that nobody trusts
 */
export async function expandCommand(
  request: RunCreate,
  sources: readonly CommandSource[],
): Promise<RunCreate | undefined> {
  const call = readCall(request.task)
  if (call === undefined) return undefined
  for (const source of sources) {
    const expanded = await source.expand(call.name, call.args)
    if (expanded !== undefined) return { ...request, ...expanded }
  }
  return undefined
}

/** Commands of files, as the config has them. */
function commandFiles({ commands, skipped }: Pick<LoadedConfig, 'commands' | 'skipped'>): CommandSource {
  return {
    list: async () => commands,
    async expand(name, args) {
      const found = commands.find((command) => command.name === name)
      if (found !== undefined) return { task: fillIn(found.template, args) }
      const left = skipped.find(({ defines }) => defines.some(({ kind, id }) => kind === 'command' && id === name))
      if (left !== undefined) throw skippedDefinitionError(left.file, 'command', name)
      return undefined
    },
  }
}

/** `$ARGUMENTS` is all that follows the name, `$1` to `$9` are its words; what has no place stands at the end. */
function fillIn(template: string, args: string): string {
  const words = [...args.matchAll(/"([^"]{0,5000})"|'([^']{0,5000})'|\S+/g)].map(
    ([word, double, single]) => double ?? single ?? word,
  )
  let isUsed = false
  const text = template.replace(/\$(?:ARGUMENTS\b|([1-9])(?!\d))/g, (_, index?: string) => {
    isUsed = true
    return index === undefined ? args : (words[Number(index) - 1] ?? '')
  })
  return isUsed || args === '' ? text : `${text}\n\n${args}`
}
