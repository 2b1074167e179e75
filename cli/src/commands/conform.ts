import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { loadReplacement, type Replacement } from '@svc/core/config'
import { nearest } from '@svc/core/text'
import { builtInNames, checkBuiltIn } from '../conform/built-in.ts'
import { type Card, renderCard } from '../conform/card.ts'
import { type CheckOptions, checkReplacement } from '../conform/check-replacement.ts'
import type { CommandContext } from '../frame/context.ts'
import { parseJson } from '../input/read-json.ts'
import { invalid, wrong } from '../line/wrong.ts'
import { placesOf } from '../session/start-own.ts'

const KINDS = ['plugin', 'provider', 'tool', 'agent', 'store'] as const

/** `svc conform FILE`: does a replacement keep the contract of what it replaces? */
export default async function conform(context: CommandContext, [name = '']: string[]): Promise<number> {
  const { flags, io } = context
  const kind = flags.own.oneOf('kind', KINDS)
  const args = flags.own.text('args')
  const options: CheckOptions = {
    online: flags.online,
    env: io.env,
    ...(args !== undefined && { args: parseJson('args', args) }),
  }
  const found = await findCards(context, name, kind, options)
  const cards = kind === undefined ? found : found.filter((card) => card.kind === kind)
  if (cards.length === 0) throw invalid('kind', `says ${kind}, and ${name} has none`)
  const conforms = cards.every((card) => card.conforms)
  context.print({ conforms, cards }, () => cards.map((card) => renderCard(card, io.paint)).join('\n\n'))
  return conforms ? 0 : 1
}

async function findCards(
  { flags, io }: CommandContext,
  name: string,
  kind: (typeof KINDS)[number] | undefined,
  options: CheckOptions,
): Promise<Card[]> {
  const file = resolve(flags.cwd ?? process.cwd(), name)
  if (!existsSync(file) && /^[\w-]+$/.test(name)) {
    const cards = await checkBuiltIn(name, options)
    if (cards !== undefined) return cards
    const guess = nearest(name, builtInNames())
    const hint = guess === undefined ? `Built in: ${builtInNames().join(', ')}` : `Did you mean ${guess}?`
    throw wrong(`there is no file "${name}", and nothing built in is called so. ${hint}`)
  }
  // A store comes in a plugin that registers it.
  const asked: Replacement['kind'] | undefined = kind === 'store' ? 'plugin' : kind
  const found = await loadReplacement(name, {
    env: io.env,
    kind: asked,
    packages: { '@svc/plugins': () => import('@svc/plugins'), '@svc/sdk': () => import('@svc/sdk') },
    ...placesOf(flags),
  })
  return checkReplacement(found, options)
}
