import type { LoadedConfig, TrustState } from '@svc/core'
import { shown } from '@svc/core/config'

/** Which files are used, and which are not because the folder is untrusted. */
export function describeFiles({ files, skipped }: Pick<LoadedConfig, 'files' | 'skipped'>): string {
  const used = files.map((file) => shown(file)).join(', ')
  if (skipped.length === 0) return files.length === 0 ? 'no config file, defaults only' : used
  const leftOut = skipped.map(({ file, settings }) =>
    settings.length === 0 ? shown(file) : `${shown(file)} (${shown(settings.join(', '))})`,
  )
  const counting = files.length === 0 ? 'no file counts, defaults only' : used
  return `${counting}; left out until you run svc trust: ${leftOut.join(', ')}`
}

const STATES: Readonly<Record<TrustState['state'], string>> = {
  trusted: 'trusted',
  changed: 'changed since it was trusted',
  unknown: 'not trusted',
}

/** How a folder stands. */
export const describeTrust = ({ state, files }: Pick<TrustState, 'state' | 'files'>): string =>
  state === 'unknown' && files.size === 0 ? 'nothing here needs trust' : STATES[state]
