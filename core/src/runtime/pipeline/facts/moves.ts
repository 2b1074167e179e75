import type { FileFact } from '../../../contracts/log/result-facts.ts'
import { fieldOf } from '../../../text/calls/call.ts'

export interface Change extends Omit<FileFact, 'seq'> {
  /** True: it may have found nothing to change. */
  mayMiss?: boolean
}

/** Options with which nothing, something else, or nobody knows what happens to the files. */
const OTHER =
  /^(?:--(?:cached|dry-run|no-clobber|interactive|target|suffix|backup|update|help|version)|-[a-zA-Z]*[nituSbIk])/
const FORCED = /^(?:--force|--ignore-unmatch|-[a-zA-Z]*f)/

/** What a plain `rm` or `mv` did that ended well, also by git. Other programs do not say what they change. */
export function toMoves(args: unknown): Change[] {
  const command = fieldOf(args, ['command'])
  if (!Array.isArray(command)) return []
  const words = command.filter((word): word is string => typeof word === 'string')
  const isGit = words[0] === 'git'
  const [program, ...rest] = isGit ? words.slice(1) : words
  const end = rest.indexOf('--')
  const options = (end < 0 ? rest : rest.slice(0, end)).filter((word) => word.startsWith('-'))
  const names = rest
    .filter((word, at) => word !== '--' && (!word.startsWith('-') || (end >= 0 && at > end)))
    .map((name) => plain(name).replace(/\/\.?$/, ''))
  if (options.some((option) => OTHER.test(option))) return []
  if (program === 'rm') {
    // Of a file that is not there git says so, forced or not.
    const mayMiss = options.some((option) => FORCED.test(option) && !(isGit && option.startsWith('-f')))
    return names.map((path) => ({ path, change: 'deleted', mayMiss }))
  }
  const [from = '', to = ''] = names
  if (program !== 'mv' || names.length !== 2) return []
  const isFolder = /(?:^|\/)\.{0,2}$/.test(rest.at(-1) ?? '')
  const base = from.split('/').at(-1) ?? from
  return [{ path: isFolder ? plain([to, base].filter((part) => part !== '').join('/')) : to, change: 'moved', from }]
}

export const plain = (path: string): string => path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')
