import { toSvcError } from '@svc/core'
import type { CommandContext } from '../frame/context.ts'

/** What one small question to a model showed. */
export interface Reached {
  /** Why it did not answer. */
  problem?: string
  /** Fields of the provider's config that make permanent how it wants to be asked. */
  learnt: readonly string[]
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

/** The lessons as what to write where. */
export const toFix = (providerId: string, learnt: readonly string[]): string =>
  `to make permanent what it wants, set in the config of ${providerId}: ${learnt.join(', ')}`
