import { TOPOLOGIES } from '@svc/core'
import { didYouMean, wrong } from '../../line/wrong.ts'
import { toCount } from '../../render/run/run.ts'
import type { Chat, Settings } from './chat.ts'

const LEAST_BUDGET = 1_024

/** `/model`: one of those that are configured, or any other of a provider that is. */
export async function chooseModel({ context: { io }, runtime, screen }: Chat, word: string): Promise<Settings> {
  const { providers, defaultModel } = await runtime.describe()
  const models = providers.flatMap(({ id, models: known, defaultModel: own }) => {
    const ids = known.map((model) => model.id)
    return [...new Set([...(own === undefined ? [] : [own]), ...ids])].map((model) => `${id}/${model}`)
  })
  if (word === '') {
    const choices = models.map((value) => ({ label: value, about: value === defaultModel ? 'default' : '', value }))
    const chosen = await screen?.choose('Model:', choices)
    if (screen === undefined) io.err(`${models.map((model) => `  ${model}\n`).join('')}`)
    return chosen === undefined ? {} : { model: chosen }
  }
  const model = word.includes('/') ? word : (models.find((known) => known.endsWith(`/${word}`)) ?? word)
  if (models.includes(model) || providers.some(({ id }) => model.startsWith(`${id}/`))) return { model }
  throw wrong(
    `/model: there is no model "${word.slice(0, 80)}"${didYouMean(model, models, ': /model alone shows them')}`,
  )
}

/** `/topology`: one of svc's own, or of a plugin; any case. */
export async function chooseTopology({ context: { io }, screen }: Chat, word: string): Promise<Settings> {
  const names = ['AUTO', ...TOPOLOGIES]
  if (word !== '') return { topology: word.toUpperCase() }
  if (screen === undefined) io.err(`  ${names.join(', ')}\n`)
  const chosen = await screen?.choose(
    'Topology:',
    names.map((value) => ({ label: value, about: ABOUT[value] ?? '', value })),
  )
  return chosen === undefined ? {} : { topology: chosen }
}

const ABOUT: Readonly<Record<string, string>> = {
  AUTO: 'svc chooses for each task',
  SINGLE: 'one agent',
  SEQUENTIAL: 'one agent after the other',
  PARALLEL: 'agents side by side, and one that puts their work together',
  CENTRALIZED: 'one agent leads the others',
  DECENTRALIZED: 'agents that read and answer each other',
  HYBRID: 'a lead, and agents that also speak to each other',
}

/** `/budget`: tokens, such as `32000` or `32k`. */
export function readBudget({ context: { io, flags }, settings }: Chat, word: string): Settings {
  if (word === '') {
    const { tokenBudget: now = flags.budget } = settings
    io.err(`  ${now === undefined ? 'as the config says' : `${toCount(now)} tokens`}; /budget 32000 sets another\n`)
    return {}
  }
  const [, digits, unit] = /^(\d{1,9})(k?)$/i.exec(word.replace(/[,_]/g, '')) ?? []
  const tokens = Number(digits) * (unit ? 1_000 : 1)
  if (digits === undefined || tokens < LEAST_BUDGET)
    throw wrong(
      `/budget must be a whole number of tokens, at least ${LEAST_BUDGET}, such as 32000, not "${word.slice(0, 80)}"`,
    )
  return { tokenBudget: tokens }
}
