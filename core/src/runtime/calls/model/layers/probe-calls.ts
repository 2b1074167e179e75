import { ProviderError } from '../../../../errors.ts'
import { abortable, sleep } from '../../../../support/abortable.ts'
import type { Layer } from '../layer.ts'
import type { ResolvedModel } from '../model-catalog.ts'
import type { ModelContext } from '../model-context.ts'

/** Calls in vain after which a run asks a provider, or a model, that never answered it no more. */
const MOST_FAILURES = 3
/** How long a call waits for what comes of those before it: a refusal is quick, and an answer may take minutes. */
const MOST_WAIT_MS = 2_000

/** Failures of a provider as a whole; any other is the model's. */
const OF_PROVIDER: ReadonlySet<string> = new Set([
  'provider_auth',
  'provider_unavailable',
  'provider_timeout',
  'provider_rate_limited',
])
const OF_MODEL: ReadonlySet<string> = new Set(['model_not_found', 'provider_bad_response'])

interface ProbeState {
  hasAnswered: boolean
  flying: number
  failures: number
  last: ProviderError | undefined
}

/** Lets the first calls of a run to a provider, or a model, show whether it answers, before all agents ask it. */
export function probeCalls(run: ModelContext): Layer {
  const first = new ProbeCalls()
  return async ({ target }) => {
    await first.enter(target, run.env.breakers.of(target.provider.id).isProven, run.stop.signal)
    return { onAnswer: () => first.settle(target), onFailure: (thrown) => first.settle(target, thrown) }
  }
}

/**
 * Keeps the agents of a run from asking one after the other what is broken for all: as long as a provider, or a model, has
 * not answered in a run, three calls are sent, and those after them fail as the last one did.
 */
export class ProbeCalls {
  readonly #places = new Map<string, ProbeState>()
  #settled: (() => void)[] = []

  /**
   * Asks for leave to make a call; `settle` says what came of it.
   *
   * @param isProven whether the provider's last call went well, in any run: then nobody waits
   * @throws the last failure where three calls were in vain; the signal's reason
   */
  async enter(target: ResolvedModel, isProven: boolean, signal: AbortSignal): Promise<void> {
    const places = this.#of(target)
    for (const place of places) throwIfInVain(place)
    if (!isProven && !places.every(isOpen)) await this.#wait(places, signal)
    for (const place of places) place.flying++
  }

  /** @param thrown absent where the model has answered */
  settle(target: ResolvedModel, thrown?: unknown): void {
    const [provider, model] = this.#of(target)
    for (const place of [provider, model]) {
      place.flying--
      if (thrown !== undefined) continue
      place.hasAnswered = true
      place.failures = 0
    }
    if (thrown instanceof ProviderError) {
      const place = OF_PROVIDER.has(thrown.code) ? provider : OF_MODEL.has(thrown.code) ? model : undefined
      if (place !== undefined) {
        place.failures++
        place.last = thrown
      }
    }
    for (const wake of this.#settled.splice(0)) wake()
  }

  async #wait(places: readonly ProbeState[], signal: AbortSignal): Promise<void> {
    const late = new AbortController()
    const limit = sleep(MOST_WAIT_MS, AbortSignal.any([signal, late.signal])).catch(() => {})
    let isLate = false
    void limit.then(() => {
      isLate = true
    })
    try {
      while (!isLate && !places.every(isOpen)) {
        const settled = new Promise<void>((resolve) => this.#settled.push(resolve))
        await abortable(Promise.race([settled, limit]), signal)
        for (const place of places) throwIfInVain(place)
      }
    } finally {
      late.abort()
    }
  }

  #of({ provider, model }: ResolvedModel): [ProbeState, ProbeState] {
    return [this.#place(provider.id), this.#place(`${provider.id}/${model}`)]
  }

  #place(name: string): ProbeState {
    let place = this.#places.get(name)
    if (place === undefined) {
      place = { hasAnswered: false, flying: 0, failures: 0, last: undefined }
      this.#places.set(name, place)
    }
    return place
  }
}

const isOpen = ({ hasAnswered, flying, failures }: ProbeState): boolean =>
  hasAnswered || flying + failures < MOST_FAILURES

function throwIfInVain({ hasAnswered, failures, last }: ProbeState): void {
  if (!hasAnswered && failures >= MOST_FAILURES && last !== undefined) throw last
}
