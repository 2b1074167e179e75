import { toAgentId } from '../../contracts/plugin/agent-id.ts'
import type { AgentInput, AgentProfile } from '../../contracts/plugin/agent-profile.ts'
import { AgentInput as AgentInputSchema } from '../../contracts/plugin/agent-profile.ts'
import type { UnusablePart } from '../../contracts/plugin/unusable-part.ts'
import type { Runtime } from '../../contracts/runtime/runtime.ts'
import type { Store } from '../../contracts/store/store.ts'
import { ConflictError, NotFoundError } from '../../errors.ts'
import { isoTime } from '../../support/iso-time.ts'
import { nearest } from '../../text/nearest.ts'
import { parse } from '../../validate.ts'
import type { Agents } from '../environment.ts'
import { assertOutputSchema } from '../json-schema.ts'
import { allOf } from '../stores/paging.ts'

/** Where agent profiles are kept beyond the process, when they are: the CLI keeps them as files. */
export interface AgentFiles {
  save(profile: AgentInput & { id: string }): Promise<void>
  remove(id: string): Promise<void>
}

/** Agent profiles: those of the config first, those put at run time over them. */
export class AgentRegistry implements Agents {
  readonly #configured: ReadonlyMap<string, AgentProfile>
  readonly #removed = new Set<string>()
  readonly #store: Store
  readonly #files: AgentFiles | undefined
  readonly #clock: () => number
  readonly #unusable: readonly UnusablePart[]

  /** @param unusable agents that are described and cannot be used: who names one learns why */
  constructor(
    configured: readonly AgentInput[],
    store: Store,
    files: AgentFiles | undefined,
    clock: () => number,
    unusable: readonly UnusablePart[] = [],
  ) {
    this.#unusable = unusable
    this.#store = store
    this.#files = files
    this.#clock = clock
    this.#configured = new Map(
      configured.map((input) => toProfile(input, clock())).map((profile) => [profile.id, profile]),
    )
  }

  readonly api: Runtime['agents'] = {
    list: async () => Promise.all((await this.#all()).map((profile) => this.#withSource(profile))),
    get: async (id) => this.#withSource(await this.find(id)),
    put: async (input, { replaces } = {}) => {
      const profile = toProfile(parse(AgentInputSchema, input, 'agent'), this.#clock())
      if (replaces !== undefined && JSON.stringify(await this.api.get(profile.id)) !== JSON.stringify(replaces))
        throw new ConflictError(
          'version_conflict',
          'it was changed since it was read: read it again and repeat the change',
        )
      const earlier = (await this.#store.agents.get(profile.id)) ?? this.#configured.get(profile.id)
      const saved =
        earlier === undefined ? profile : { ...profile, version: earlier.version + 1, createdAt: earlier.createdAt }
      await this.#store.agents.put(saved.id, saved)
      await this.#files?.save({ ...input, id: saved.id })
      this.#removed.delete(saved.id)
      return { ...saved, source: 'store' }
    },
    delete: async (id) => {
      await this.find(id)
      this.#removed.add(id)
      await this.#store.agents.delete(id)
      await this.#files?.remove(id)
    },
  }

  /** As it is shown: runs are handed it without. */
  async #withSource(profile: AgentProfile): Promise<AgentProfile> {
    const isStored = (await this.#store.agents.get(profile.id)) !== undefined
    return { ...profile, source: isStored ? 'store' : 'config' }
  }

  /** Every profile, by id. */
  async #all(): Promise<AgentProfile[]> {
    const stored: AgentProfile[] = []
    for await (const profile of allOf((query) => this.#store.agents.list(query))) stored.push(profile)
    const configured = [...this.#configured.values()].filter(
      ({ id }) => !this.#removed.has(id) && !stored.some((profile) => profile.id === id),
    )
    return [...configured, ...stored].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** @throws NotFoundError `agent_not_found` */
  async find(id: string): Promise<AgentProfile> {
    const profile = (await this.#store.agents.get(id)) ?? (this.#removed.has(id) ? undefined : this.#configured.get(id))
    if (profile !== undefined) return profile
    const broken = this.#unusable.find((part) => part.kind === 'agent' && part.id === id)
    if (broken !== undefined)
      throw new NotFoundError('agent_not_found', `the agent "${id}" cannot be used: ${broken.error.message}`)
    const ids = (await this.api.list()).map((known) => known.id)
    const guess = nearest(id, ids)
    throw new NotFoundError(
      'agent_not_found',
      `there is no agent "${id}"${guess === undefined ? '' : `: did you mean "${guess}"?`}${ids.length > 0 ? ` Known: ${ids.join(', ')}` : ': there are none yet, neither in the config nor in .svc/agents/'}`,
    )
  }

  /**
   * The profiles that a run names: slugs are looked up, inputs are taken as they are.
   *
   * @param timeMs when an input becomes a profile: of a run its own time, the same in each of its lives
   */
  async resolve(
    named: readonly (string | AgentInput)[] | undefined,
    timeMs = this.#clock(),
  ): Promise<readonly AgentProfile[]> {
    if (named === undefined) return this.#all()
    return Promise.all(named.map((agent) => (typeof agent === 'string' ? this.find(agent) : toProfile(agent, timeMs))))
  }
}

/**
 * A profile with everything filled in.
 *
 * @throws ValidationError `validation_failed` when no id can be made from the name, or `outputSchema` is no JSON Schema
 */
export function toProfile(input: AgentInput, timeMs: number): AgentProfile {
  const id = input.id ?? toAgentId(input.name)
  assertOutputSchema(`agent "${id}"`, input.outputSchema)
  const time = isoTime(timeMs)
  return {
    role: 'worker',
    instructions: '',
    fallbackModels: [],
    tools: ['*'],
    memory: { layers: ['episodic', 'long-term'], scope: 'run' },
    budget: {},
    capabilities: [],
    handoffs: [],
    tags: [],
    metadata: {},
    ...input,
    id,
    version: 1,
    createdAt: time,
    updatedAt: time,
  }
}
