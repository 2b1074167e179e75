import type { Approval } from '@svc/sdk/remote'

/** A path, a host or a command that a call touches, by the word of its tool. */
export interface CallTarget {
  kind: 'path' | 'host' | 'command'
  text: string
}

/** What a person is shown of a call: where it goes, then what it would do. */
export interface Shown {
  places: readonly CallTarget[]
  text: string
  isDiff: boolean
}

const PLACE = /^(path|host|command): (.*)$/

/** Takes the lines that say where a call goes from its preview. */
export function splitPreview(preview: string): Shown {
  const lines = preview.split('\n')
  const places: CallTarget[] = []
  for (const line of lines) {
    const [, kind, text] = PLACE.exec(line) ?? []
    if (kind === undefined || text === undefined) break
    places.push({ kind: kind as CallTarget['kind'], text })
  }
  const isEnded = lines[places.length] === '' || lines.length === places.length
  const kept = isEnded ? places : []
  const text = lines.slice(kept.length).join('\n').replace(/^\n/, '')
  return { places: kept, text, isDiff: /^(--- |diff )/.test(text) && /^@@ /m.test(text) }
}

/** What a risk means. */
export const RISKS: Readonly<Record<Approval['risk'], string>> = {
  read: 'reads, and changes nothing',
  write: 'changes files or data',
  network: 'sends something out of this machine',
  execute: 'runs a program',
  destructive: 'destroys what cannot be brought back',
}

/** Risks whose approval takes a second step. */
export const needsSecondStep = ({ risk }: Pick<Approval, 'risk'>): boolean =>
  risk === 'network' || risk === 'destructive'

/** A command given as words. */
export function commandOf(args: unknown): readonly string[] | undefined {
  if (typeof args !== 'object' || args === null) return undefined
  const { command, args: rest } = args as { command?: unknown; args?: unknown }
  const words = Array.isArray(command)
    ? command
    : typeof command === 'string' && Array.isArray(rest)
      ? [command, ...rest]
      : []
  return words.length > 0 && words.every((word) => typeof word === 'string') ? words : undefined
}

/** When the call was asked about, by its id. */
export function askedAt(id: string): number | undefined {
  const time = /^apr_([0-9A-HJKMNP-TV-Z]{10})[0-9A-HJKMNP-TV-Z]{16}$/.exec(id)?.[1]
  if (time === undefined) return undefined
  let ms = 0
  for (const digit of time) ms = ms * 32 + '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(digit)
  return ms
}
