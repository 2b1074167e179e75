import { toSvcError } from '@svc/core'
import type { CommandContext } from '../frame/context.ts'

/** What one small question to a model showed. */
export interface Reached {
  /** Why it did not answer. */
  problem?: string
  /** Fields of the provider's config that make permanent how it wants to be asked. */
  learnt: readonly string[]
  /** What it was seen to do, where that was asked for. */
  card?: Card
}

/** What an endpoint really does, whatever it says of itself. */
export interface Card {
  /** Whether its answer came in pieces. */
  streams: boolean
  /** Whether it says how many tokens an answer took. */
  countsTokens: boolean
  /** Whether it called a tool that the question needs. */
  callsTools: boolean
  /** Whether it gave an answer in the shape of a schema. */
  answersJson: boolean
}

/** Requests that the question may take: the provider may refuse its shape a few times. */
const MOST_CALLS = 10

/**
 * Asks a model for one short answer, as agents ask, with a tool at hand and as a stream: in an ordinary run of which
 * nothing is kept.
 *
 * @param model `provider/model`, or a provider for its own default
 */
export async function askModel(context: CommandContext, model: string): Promise<Reached> {
  const learnt: string[] = []
  try {
    return await context.useOwn({ persist: false, claims: 'own' }, async ({ runtime }) => {
      runtime.onEvent((event) => {
        if (event.type === 'model.adapted') learnt.push(...event.data.learnt)
      })
      const { id } = await runtime.runs.create({
        task: 'Answer with the word ready.',
        model,
        topology: 'SINGLE',
        reflect: false,
        consensus: false,
        tools: { allow: ['calculate'] },
        budget: { maxWallMs: 30_000, maxSteps: MOST_CALLS },
      })
      const { error } = await runtime.runs.wait(id)
      return error === undefined ? { learnt } : { problem: `${error.message} [${error.code}]`, learnt }
    })
  } catch (thrown) {
    return { problem: toSvcError(thrown).message, learnt }
  }
}

/** Asks a model twice for what shows what its endpoint does: for a tool's result, and for JSON. Nothing is kept. */
export async function askForCard(context: CommandContext, model: string): Promise<Reached> {
  const learnt: string[] = []
  const seen = new Set<string>()
  try {
    return await context.useOwn({ persist: false, claims: 'own' }, async ({ runtime }) => {
      runtime.onEvent(({ type, data }) => {
        if (type === 'model.adapted') learnt.push(...data.learnt)
        if (type === 'tool.completed') seen.add('tool')
        if (type === 'message.delta') seen.add('piece')
        if (type === 'model.completed' && !data.usage.estimated) seen.add('count')
      })
      const ask = async (
        task: string,
        more: { outputSchema?: Record<string, unknown>; tools: { allow?: string[]; deny?: string[] } },
      ) => {
        const options = { model, topology: 'SINGLE' as const, reflect: false, consensus: false }
        const budget = { maxWallMs: 30_000, maxSteps: MOST_CALLS }
        const { id } = await runtime.runs.create({ task, ...options, ...more, budget }, { deltas: true })
        return runtime.runs.wait(id)
      }
      const { error } = await ask('Work out 1789 * 2347 with the tool calculate, and answer with the number.', {
        tools: { allow: ['calculate'] },
      })
      if (error !== undefined) return { problem: `${error.message} [${error.code}]`, learnt }
      const outputSchema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] }
      const { status } = await ask('Answer with the word ready.', { outputSchema, tools: { deny: ['*'] } })
      const card = {
        streams: seen.has('piece'),
        countsTokens: seen.has('count'),
        callsTools: seen.has('tool'),
        answersJson: status === 'completed',
      }
      return { learnt: [...new Set(learnt)], card }
    })
  } catch (thrown) {
    return { problem: toSvcError(thrown).message, learnt }
  }
}

/** `streams, counts tokens, calls tools, no JSON by schema`. */
export const describeCard = ({ streams, countsTokens, callsTools, answersJson }: Card): string =>
  [
    streams ? 'streams' : 'no streams',
    countsTokens ? 'counts tokens' : 'no counts of tokens',
    callsTools ? 'calls tools' : 'called no tool',
    answersJson ? 'JSON by schema' : 'no JSON by schema',
  ].join(', ')

/** The lessons as what to write where. */
export const toFix = (providerId: string, learnt: readonly string[]): string =>
  `to make permanent what it wants, set in the config of ${providerId}: ${learnt.join(', ')}`
