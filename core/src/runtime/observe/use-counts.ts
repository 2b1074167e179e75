import type { ErrorInfo } from '../../contracts/error-info.ts'
import type { RunEvent } from '../../contracts/log/event.ts'
import type { ProviderHealth, ToolUse } from '../../contracts/runtime/runtime.ts'
import { ERROR_CODES, type ErrorCode } from '../../errors.ts'

/** What an error of a model call may be for it to say something about the provider; a run that was stopped says nothing. */
const OF_PROVIDER: ReadonlySet<string> = new Set(['provider', 'config', 'notFound'])

const saysOfProvider = ({ code }: ErrorInfo): boolean => OF_PROVIDER.has(ERROR_CODES[code as ErrorCode]?.kind)

/** What there is now: of anything else nothing is counted. */
interface Known {
  readonly providers: { get(id: string): unknown }
  readonly tools: { get(id: string): unknown }
}

/** Counts how the providers and tools of this process were used, from the events of its runs: records used again add nothing. */
export class UseCounts {
  readonly #providers = new Map<string, ProviderHealth>()
  readonly #tools = new Map<string, ToolUse>()

  apply(event: RunEvent, { providers, tools }: Known): void {
    switch (event.type) {
      case 'model.completed':
      case 'model.failed': {
        const { provider } = event.data
        const error = event.type === 'model.failed' ? event.data.error : undefined
        const isOld = event.type === 'model.completed' && event.data.cached
        if (isOld || (error !== undefined && !saysOfProvider(error)) || providers.get(provider) === undefined) return
        const { calls, failures, lastError } = this.#providers.get(provider) ?? NO_CALLS
        const last = error ?? lastError
        this.#providers.set(provider, {
          state: error === undefined ? 'ok' : 'failing',
          calls: calls + 1,
          failures: failures + Number(error !== undefined),
          lastUsedAt: event.time,
          ...(last && { lastError: last }),
        })
        return
      }
      case 'tool.completed':
      case 'tool.failed':
      case 'tool.denied': {
        const { tool } = event.data
        if (tool === undefined || tools.get(tool) === undefined) return
        const { calls, failures, denied, lastError } = this.useOf(tool)
        const isDenied = event.type === 'tool.denied'
        const error = (event.type === 'tool.completed' ? undefined : event.data.error) ?? lastError
        this.#tools.set(tool, {
          calls: calls + Number(!isDenied),
          failures: failures + Number(event.type === 'tool.failed'),
          denied: denied + Number(isDenied),
          ...(error && { lastError: error }),
        })
      }
    }
  }

  /** @param isResting whether nothing is sent to it for a while */
  healthOf(providerId: string, isResting: boolean): ProviderHealth {
    const health = this.#providers.get(providerId) ?? NO_CALLS
    return isResting ? { ...health, state: 'resting' } : health
  }

  useOf(toolId: string): ToolUse {
    return this.#tools.get(toolId) ?? NO_USE
  }
}

const NO_CALLS: ProviderHealth = { state: 'unused', calls: 0, failures: 0 }
const NO_USE: ToolUse = { calls: 0, failures: 0, denied: 0 }
