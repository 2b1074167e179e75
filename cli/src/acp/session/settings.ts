import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk'
import type { RunCreate, RuntimeInfo } from '@svc/core'
import { wrong } from '../../line/wrong.ts'

const MODES = {
  ask: { name: 'Ask', description: 'Works, and asks before it writes a file or runs a program' },
  code: { name: 'Code', description: 'Writes files of this folder unasked, and asks before anything else' },
  plan: { name: 'Plan', description: 'Reads and says what is to be done, and changes nothing' },
} as const
type ModeId = keyof typeof MODES

const EFFORTS = ['default', 'low', 'medium', 'high'] as const

/** Stands for the model that the config names. */
const DEFAULT = 'default'

/** How a session works, as a person chooses it in the editor. */
export class SessionSettings {
  #mode: ModeId = 'ask'
  #model = DEFAULT
  #effort: (typeof EFFORTS)[number] = 'default'
  readonly #defaultModel: string
  readonly #models: readonly string[]

  /** @param info with the models that there are to choose from */
  constructor({ providers, defaultModel }: Pick<RuntimeInfo, 'providers' | 'defaultModel'>) {
    this.#defaultModel = defaultModel
    this.#models = providers.flatMap(({ id, models, error, defaultModel: own }) => {
      if (error !== undefined) return []
      const names = models.filter(({ embedding }) => embedding !== true).map((model) => model.id)
      return (names.length === 0 && own !== undefined ? [own] : names).map((name) => `${id}/${name}`)
    })
  }

  get modes(): SessionModeState {
    const availableModes = Object.entries(MODES).map(([id, mode]) => ({ id, ...mode }))
    return { currentModeId: this.#mode, availableModes }
  }

  get options(): SessionConfigOption[] {
    const named = (value: string) => ({ value, name: value })
    return [
      {
        type: 'select',
        id: 'mode',
        name: 'Mode',
        category: 'mode',
        currentValue: this.#mode,
        options: Object.entries(MODES).map(([value, mode]) => ({ value, ...mode })),
      },
      {
        type: 'select',
        id: 'model',
        name: 'Model',
        category: 'model',
        currentValue: this.#model,
        options: [{ value: DEFAULT, name: `Default (${this.#defaultModel})` }, ...this.#models.map(named)],
      },
      {
        type: 'select',
        id: 'effort',
        name: 'Effort',
        category: 'thought_level',
        description: 'How much a model that reasons is to think',
        currentValue: this.#effort,
        options: EFFORTS.map(named),
      },
    ]
  }

  /** @throws ValidationError `validation_failed` for a mode that there is not */
  setMode(id: string): void {
    if (!Object.hasOwn(MODES, id)) throw unknown('modeId', id, Object.keys(MODES))
    this.#mode = id as ModeId
  }

  /** @throws ValidationError `validation_failed` for an option or a value that there is not */
  setOption(id: string, value: unknown): void {
    const option = this.options.find((known) => known.id === id)
    if (option?.type !== 'select')
      throw unknown(
        'configId',
        id,
        this.options.map((known) => known.id),
      )
    const values = option.options.flatMap((one) => ('value' in one ? [one.value] : []))
    if (typeof value !== 'string' || !values.includes(value)) throw unknown('value', String(value), values)
    if (id === 'mode') this.setMode(value)
    else if (id === 'model') this.#model = value
    else this.#effort = value as (typeof EFFORTS)[number]
  }

  /** What runs are asked for so. */
  get run(): Partial<RunCreate> {
    return {
      approval: 'wait',
      ...(this.#mode === 'code' && { allowWrites: true }),
      ...(this.#mode === 'plan' && { readOnly: true }),
      ...(this.#model !== DEFAULT && { model: this.#model }),
      ...(this.#effort !== 'default' && { effort: this.#effort }),
    }
  }
}

const unknown = (field: string, given: string, known: readonly string[]) =>
  wrong(`${field}: there is no ${JSON.stringify(given.slice(0, 100))}: take one of ${known.join(', ')}`, field)
