import type { ModelInfo } from '@svc/core'
import { MODEL_FACTS_DATE } from '@svc/plugins'
import type { CommandContext } from '../frame/context.ts'
import { toSafe } from '../frame/io.ts'
import { renderTable } from '../render/table.ts'
import { askForCard, describeCard, type Reached, toFix } from '../session/ask-model.ts'

/** `svc models`: which providers are there, and which models have they? */
export default function models(context: CommandContext): Promise<number> {
  const isChecked = context.flags.own.is('check')
  return context.use({ persist: false }, async ({ runtime }) => {
    const { providers, defaultModel, defaultModelError } = await runtime.describe()
    if (defaultModelError !== undefined && !context.hasSaid(defaultModelError.message))
      context.io.err(toSafe(`svc: no default model: ${defaultModelError.message}\n`))
    const { warnings } = await runtime.health()
    const messages = [
      ...providers.flatMap(({ error }) => error ?? []),
      ...warnings.flatMap(({ code, message }) => (code === 'offline_provider' ? [] : message)),
    ]
    for (const message of new Set(messages)) if (!context.hasSaid(message)) context.io.err(toSafe(`svc: ${message}\n`))
    const broken = providers.filter(({ error }) => error !== undefined)
    const listed = providers.flatMap(({ id, models: known, source, defaultModel: own, error }) => {
      const all: ModelInfo[] = known.length === 0 ? [{ id: own ?? '(any)' }] : known
      return error === undefined ? all.map((model) => ({ providerId: id, source, model })) : []
    })
    const { model: wanted } = context.flags
    const [id = '', ...rest] = (wanted ?? '').split('/')
    if (isChecked && rest.length > 0 && !listed.some(({ providerId, model }) => wanted === `${providerId}/${model.id}`))
      listed.push({ providerId: id, source: '--model', model: { id: rest.join('/') } })
    const reached = isChecked ? await check(context, listed) : new Map<string, Reached>()
    const checks = isChecked ? { checks: Object.fromEntries(reached) } : {}
    context.print({ defaultModel, providers, ...checks }, (columns) => {
      const rows = listed.map(({ providerId, source, model: { id, context: window, maxOutput, price } }) => {
        const name = `${providerId}/${id}`
        return [
          name === defaultModel ? '*' : '',
          name,
          window === undefined ? '' : `${window} tokens`,
          maxOutput === undefined ? '' : `${maxOutput} tokens`,
          price === undefined ? '' : `$${price.input} in, $${price.output} out per million`,
          source,
          ...(isChecked ? [describe(providerId, reached.get(name))] : []),
        ]
      })
      for (const { id, source } of broken) rows.push(['', `${id}/(not usable)`, '', '', '', source])
      const head = ['', 'model', 'context', 'longest answer', 'price', 'from', ...(isChecked ? ['asked'] : [])]
      const notes = [
        '* is used when a run names no other',
        ...(broken.length === 0 ? [] : ['svc doctor says why a provider is not usable, and what to do.']),
        `Windows and prices that no config gives are those of ${MODEL_FACTS_DATE}.`,
      ]
      return `${renderTable(head, rows, columns, { free: ['price'] })}\n${notes.join('\n')}`
    })
    return [...reached.values()].some(({ problem }) => problem !== undefined) ? 1 : 0
  })
}

interface Listed {
  providerId: string
  source: string
  model: ModelInfo
}

/** Asks each model that answers in words, or the one that a flag names. */
async function check(context: CommandContext, listed: readonly Listed[]): Promise<Map<string, Reached>> {
  const { model: wanted } = context.flags
  const reached = new Map<string, Reached>()
  for (const { providerId, model } of listed) {
    const name = `${providerId}/${model.id}`
    const isMeant = wanted === undefined || wanted === name || wanted === model.id
    if (isMeant && model.embedding !== true) reached.set(name, await askForCard(context, name))
  }
  return reached
}

function describe(providerId: string, reached: Reached | undefined): string {
  if (reached === undefined) return ''
  const { problem, learnt, card } = reached
  return [
    problem ?? 'answered',
    ...(card === undefined ? [] : [describeCard(card)]),
    ...(learnt.length === 0 ? [] : [toFix(providerId, learnt)]),
  ].join('; ')
}
