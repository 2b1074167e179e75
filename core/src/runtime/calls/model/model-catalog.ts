import type { ModelInfo, ModelProvider, Price } from '../../../contracts/model/model.ts'
import type { Registry } from '../../../contracts/plugin/plugin.ts'
import type { UnusablePart } from '../../../contracts/plugin/unusable-part.ts'
import { ConfigError, type ErrorCode, NotFoundError, type SvcError, toSvcError } from '../../../errors.ts'
import { nearest } from '../../../text/nearest.ts'

/** A model that was found, with its provider. */
export interface ResolvedModel {
  provider: ModelProvider
  /** The provider's own id of the model. */
  model: string
  info: ModelInfo | undefined
}

/** How long a name stays resolved: providers may learn of new models while a runtime lives. */
const KEEP_MS = 300_000

/** What a provider said of its models, or why it could not. */
interface Asked {
  infos: ModelInfo[]
  failure?: SvcError
}

/** Failures that a model of another name would meet as well. */
const OF_PROVIDER: ReadonlySet<ErrorCode> = new Set([
  'provider_unavailable',
  'provider_timeout',
  'provider_auth',
  'provider_rate_limited',
])

/** Finds models by the names that people use: `provider/model`, an alias, or a provider alone. */
export class ModelCatalog {
  readonly #providers: Pick<Registry<ModelProvider>, 'get' | 'ids'>
  readonly #default: string
  readonly #clock: () => number
  readonly #unusable: readonly UnusablePart[]
  readonly #explain: (id: string) => SvcError | undefined
  readonly #asked = new Map<string, { answer: Promise<Asked>; until: number }>()
  readonly #resolved = new Map<string, { found: ResolvedModel; until: number }>()

  /**
   * @param defaultModel `provider/model`, or a provider's id for its own default
   * @param unusable providers that are described and cannot be used: nothing else takes their names
   * @param explain why a provider that nobody described is not there, where that is known
   */
  constructor(
    providers: Pick<Registry<ModelProvider>, 'get' | 'ids'>,
    defaultModel: string,
    clock: () => number,
    unusable: readonly UnusablePart[] = [],
    explain: (id: string) => SvcError | undefined = () => undefined,
  ) {
    this.#providers = providers
    this.#default = defaultModel
    this.#clock = clock
    this.#unusable = unusable
    this.#explain = explain
  }

  /**
   * What a provider says of its models, kept for five minutes. A provider that cannot say is taken to know any, and is
   * asked again next time.
   */
  async infos(id: string): Promise<ModelInfo[]> {
    return (await this.#ask(id)).infos
  }

  #ask(id: string): Promise<Asked> {
    const known = this.#asked.get(id)
    if (known !== undefined && known.until > this.#clock()) return known.answer
    const answer = (this.#providers.get(id)?.models() ?? Promise.resolve([])).then(
      (infos): Asked => ({ infos }),
      (thrown): Asked => {
        this.#asked.delete(id)
        return { infos: [], failure: toSvcError(thrown, 'provider_unavailable') }
      },
    )
    this.#asked.set(id, { answer, until: this.#clock() + KEEP_MS })
    return answer
  }

  /** What is known of a model after its provider has learnt something of it. */
  async learntOf({ provider, model }: ResolvedModel): Promise<ModelInfo | undefined> {
    this.#asked.delete(provider.id)
    this.#resolved.clear()
    return (await this.infos(provider.id)).find(({ id }) => id === model)
  }

  /** What a model of a provider costs; undefined where nobody knows, also because neither is there any more. */
  async priceOf(provider: string, model: string): Promise<Price | undefined> {
    return (await this.infos(provider)).find(({ id }) => id === model)?.price
  }

  /**
   * Finds a model.
   *
   * @param name `provider/model`, `provider`, an alias, or empty for the default
   * @throws ConfigError `unknown_provider`, `no_provider`, or that of a provider that cannot be used; NotFoundError `model_not_found` where the provider lists its models;
   * ProviderError where no model is named and the provider could not be asked for its models
   */
  async resolve(name: string): Promise<ResolvedModel> {
    const known = this.#resolved.get(name)
    if (known !== undefined && known.until > this.#clock()) return known.found
    const found = await this.#find(name === '' ? this.#default : name)
    // Without a word of its models nothing is known that is worth keeping.
    if (found.info !== undefined) this.#resolved.set(name, { found, until: this.#clock() + KEEP_MS })
    return found
  }

  async #find(wanted: string): Promise<ResolvedModel> {
    const slash = wanted.indexOf('/')
    const head = slash === -1 ? wanted : wanted.slice(0, slash)
    const named = this.#providers.get(head)
    if (named !== undefined) return this.#within(named, slash === -1 ? '' : wanted.slice(slash + 1))
    const broken = this.#unusable.find(({ kind, id }) => kind === 'provider' && id === head)
    if (broken !== undefined) throw broken.error
    const byAlias = await this.#byAlias(wanted)
    if (byAlias !== undefined) return byAlias
    const failure = this.#explain(head)
    if (failure !== undefined) throw failure
    const ids = this.#providers.ids()
    if (ids.length === 0) throw new ConfigError('no_provider', 'no model provider is configured')
    const guess = nearest(head, ids)
    throw new ConfigError(
      'unknown_provider',
      `there is no provider "${head}"${guess === undefined ? '.' : `: did you mean "${guess}"?`} Known: ${ids.join(', ')}${slash === -1 ? '; a model is written provider/model' : ''}`,
    )
  }

  async #within(provider: ModelProvider, model: string): Promise<ResolvedModel> {
    const { infos, failure } = await this.#ask(provider.id)
    const wanted = model === '' ? (provider.defaultModel ?? infos[0]?.id ?? '') : model
    const info = infos.find(({ id, alias }) => id === wanted || alias?.includes(wanted))
    if (wanted === '') {
      if (failure !== undefined && OF_PROVIDER.has(failure.code)) throw failure
      const why = failure === undefined ? '' : `, and its list of models could not be read (${failure.message})`
      throw new ConfigError(
        'no_provider',
        `provider "${provider.id}" names no default model${why}: say which as "${provider.id}/<model>"`,
      )
    }
    if (info === undefined && provider.closed === true) {
      const ids = infos.map(({ id }) => id)
      const guess = nearest(wanted, ids)
      throw new NotFoundError(
        'model_not_found',
        `provider "${provider.id}" has no model "${wanted}"${guess === undefined ? '.' : `: did you mean "${guess}"?`} It has: ${ids.join(', ')}`,
      )
    }
    return { provider, model: info?.id ?? wanted, info }
  }

  async #byAlias(name: string): Promise<ResolvedModel | undefined> {
    for (const id of this.#providers.ids()) {
      const provider = this.#providers.get(id)
      const info = (await this.infos(id)).find((candidate) => candidate.id === name || candidate.alias?.includes(name))
      if (provider !== undefined && info !== undefined) return { provider, model: info.id, info }
    }
    return undefined
  }
}
