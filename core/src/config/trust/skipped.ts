import { extname, relative } from 'node:path'
import type { ConfigError } from '../../errors.ts'
import { CODE_ENDINGS } from '../find/paths.ts'
import type { LoadedConfig, SkippedFile } from '../loaded-config.ts'
import type { SkippedDefinition } from '../merge/restrict.ts'
import { untrusted } from '../read/config-error.ts'
import { readBytes } from '../read/read-data.ts'
import { shown } from '../read/shown.ts'

/**
 * The file left out that defines something, so that a flag which names it can say why it is unknown. Of a code file,
 * which was not run, it is enough that the id stands in it as a word.
 */
export function findSkippedDefinition(
  loaded: Pick<LoadedConfig, 'skipped'>,
  kind: SkippedDefinition['kind'],
  id: string,
): string | undefined {
  return loaded.skipped.find(
    ({ file, defines }) =>
      defines.some((definition) => definition.kind === kind && definition.id === id) ||
      (defines.length === 0 && CODE_ENDINGS.includes(extname(file)) && mentions(file, id)),
  )?.file
}

/** @see findSkippedDefinition */
export function isSkippedDefinition(
  loaded: Pick<LoadedConfig, 'skipped'>,
  kind: SkippedDefinition['kind'],
  id: string,
): boolean {
  return findSkippedDefinition(loaded, kind, id) !== undefined
}

/** The error for a flag that names something which a file left out defines: `config_untrusted`. */
export function skippedDefinitionError(file: string, kind: SkippedDefinition['kind'], id: string): ConfigError {
  return untrusted(file, `defines the ${kind} "${id}", but this folder is not trusted`)
}

function mentions(file: string, id: string): boolean {
  try {
    const text = readBytes(file).toString('utf8')
    for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
      if (!/[\w-]/.test(text[at - 1] ?? ' ') && !/[\w-]/.test(text[at + id.length] ?? ' ')) return true
    }
  } catch {
    // it cannot be read, so nothing is known of it
  }
  return false
}

/** What is counted together, by where it lies. */
const GROUPS: readonly (readonly [noun: string, pattern: RegExp])[] = [
  ['skill', /[\\/]SKILL\.md$/],
  ['command', /[\\/]commands[\\/][^\\/]+\.md$/],
  ['drop-in', /^\.svc[\\/](?!data[\\/]|commands[\\/])/],
]

/** What was left out, in one sentence. */
export function describeSkipped(skipped: readonly SkippedFile[], folder: string, changed: readonly string[]): string {
  const nameOf = ({ file }: SkippedFile): string => relative(folder, file)
  const groups = GROUPS.map(([noun, pattern]) => ({
    noun,
    entries: skipped.filter((one) => pattern.test(nameOf(one))),
  }))
  const configs = skipped.filter((entry) => !groups.some(({ entries }) => entries.includes(entry)))
  const parts = configs.map(({ file, settings }) => {
    const name = shown(relative(folder, file))
    return settings.length === 0
      ? name
      : `${count(settings.length, 'setting')} of ${name} (${shown(settings.join(', '))})`
  })
  for (const { noun, entries } of groups) {
    if (entries.length === 0) continue
    const names = entries.slice(0, 5).map((entry) => shown(nameOf(entry)))
    if (entries.length > 5) names.push('...')
    parts.push(`${count(entries.length, noun)} (${names.join(', ')})`)
  }
  const one = skipped.length === 1 && (skipped[0]?.settings.length ?? 0) <= 1
  const names = changed.slice(0, 3).map((file) => shown(relative(folder, file)))
  const why =
    changed.length === 0
      ? 'this folder is not trusted'
      : `files changed since this folder was trusted (${names.join(', ')}${changed.length > 3 ? ', ...' : ''})`
  return `${parts.join(' and ')} ${one ? 'was' : 'were'} left out because ${why}; run "svc trust" to allow ${one ? 'it' : 'them'}`
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
