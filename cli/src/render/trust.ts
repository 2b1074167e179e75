import type { TrustState } from '@svc/core'

const WORDS: Readonly<Record<TrustState['state'], string>> = {
  trusted: 'trusted',
  changed: 'changed since it was trusted',
  unknown: 'not trusted',
}

/** How a folder stands. */
export const describeTrust = ({ state, files }: Pick<TrustState, 'state' | 'files'>): string =>
  state === 'unknown' && files.size === 0 ? 'nothing here needs trust' : WORDS[state]
