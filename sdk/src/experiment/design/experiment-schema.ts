import type { ExecutionResult, ModelProvider, Plugin, RunEvent, SvcConfig } from '@svc/core'
import { RunOptions as RunOptionsSchema, SLUG, TaskId } from '@svc/core/schema'
import type { Static } from 'typebox'
import * as Type from 'typebox'

const closed = { additionalProperties: false } as const
const text = (description: string) => Type.String({ minLength: 1, description })
const opaque = <T>(description: string) => Type.Unsafe<T>(Type.Unknown({ description }))
const byName = <T>(value: object, pattern: string, description: string) =>
  Type.Unsafe<Record<string, T>>({ type: 'object', patternProperties: { [pattern]: value }, description })

/** What an own scorer is handed. */
export interface Answered {
  /** Of the task. */
  id: string
  /** What was asked, in words. */
  task: string
  /** What the task's `expected` says; undefined where it says nothing. */
  expected: unknown
  result: ExecutionResult
  events: readonly RunEvent[]
}

/** A score in [0, 1], with what it goes by. */
export type Scored = number | { score: number; evidence?: string }

/** A scorer of one's own. Contract: answers a number in [0, 1] for any answer, also an empty one, and never throws. */
export type OwnScorer = (answered: Answered) => Scored | Promise<Scored>

const command = Type.Array(text('program, then its arguments; no shell'), { minItems: 1 })

const numeric = Type.Object(
  {
    absolute: Type.Optional(Type.Number({ minimum: 0, description: 'largest difference that is right; default 0' })),
    relative: Type.Optional(Type.Number({ minimum: 0, description: 'the same, as a part of the expected number' })),
    marker: Type.Optional(text('the number after the last place of this text counts; default the last number')),
  },
  closed,
)
const exact = Type.Object({ ignoreCase: Type.Optional(Type.Boolean({ description: 'default true' })) }, closed)
const contains = Type.Object(
  { mode: Type.Optional(Type.Enum(['all', 'any', 'none'], { description: 'default all' })) },
  closed,
)
const pattern = Type.Object({ ignoreCase: Type.Optional(Type.Boolean({ description: 'default true' })) }, closed)
const jsonSchema = Type.Object(
  { schema: Type.Optional(opaque<object>('JSON Schema of every answer; default the task’s own `expected`')) },
  closed,
)
const test = Type.Object(
  {
    run: Type.Optional(command),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 1, description: 'default 60000' })),
  },
  closed,
)
const judge = Type.Object(
  {
    rubric: text('what a good answer has'),
    model: Type.Optional(text('`provider/model` that judges; default that of the base')),
  },
  closed,
)

/** The scorers by name, each with its options. */
export const SCORERS = { exact, numeric, contains, pattern, jsonSchema, command: test, judge } as const
export type ScorerName = keyof typeof SCORERS
export type ScorerOptions = { [Name in ScorerName]: Static<(typeof SCORERS)[Name]> }

/** A scorer by its name, by its name with options, or a function. */
export type ScorerInput =
  | Exclude<ScorerName, 'judge'>
  | { [Name in ScorerName]: { [Key in Name]: ScorerOptions[Name] } }[ScorerName]
  | OwnScorer

/** A task as a line of a JSONL file, or an item of the list. */
export const TaskInput = Type.Object(
  {
    id: TaskId,
    task: Type.String({ minLength: 1, maxLength: 200_000 }),
    setup: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200_000 }), {
        minItems: 1,
        maxItems: 1_000,
        description:
          'texts that are run before the task, in this order, so that its run finds what they left in the memory',
      }),
    ),
    expected: Type.Optional(Type.Unknown({ description: 'the right answer, as the scorer reads it' })),
    family: Type.Optional(text('tasks of one family vary together; default the id')),
    strata: Type.Optional(byName<string>(Type.String(), '^.+$', 'kinds of tasks that are reported apart')),
    options: Type.Optional(RunOptionsSchema),
    test: Type.Optional(command),
    workspace: Type.Optional(text('a folder of which each run of this task gets a copy; default the experiment’s')),
  },
  closed,
)
export type TaskInput = Static<typeof TaskInput>

/** A config as an arm writes it. */
type ConfigPart = SvcConfig

/** What differs from the base: one thing, unless `factors` names each. */
export const ArmInput = Type.Object(
  {
    component: Type.Optional(
      opaque<Record<string, Plugin | (() => Plugin) | string | false>>('one slot, and who stands there'),
    ),
    plugin: Type.Optional(
      opaque<Plugin | (() => Plugin) | string>(
        'a plugin that is added, what definePlugin made, or the path of its module',
      ),
    ),
    provider: Type.Optional(
      opaque<string | ModelProvider>('the id of a provider whose default model is taken, or a provider'),
    ),
    model: Type.Optional(text('`provider/model` of every agent that names none')),
    prompt: Type.Optional(
      opaque<string | Record<string, string>>('material before each task, or instructions by the id of an agent'),
    ),
    topology: Type.Optional(text('a topology, one of its aliases, or AUTO')),
    config: Type.Optional(opaque<ConfigPart>('anything else of a config')),
    options: Type.Optional(RunOptionsSchema),
    factors: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
  },
  closed,
)
export type ArmInput = Static<typeof ArmInput>

/** An experiment as a person writes it; `svc experiment` reads it. */
export const ExperimentInput = Type.Object(
  {
    /** Slug. Default made from the name of the file. */
    name: Type.Optional(Type.String({ pattern: SLUG.source })),
    /** The tasks, or the path of a JSONL file with one task a line, from the experiment's folder. */
    tasks: opaque<string | TaskInput[]>('a list, or the path of a JSONL file'),
    /** What all arms share, over the project's config. */
    base: Type.Optional(
      Type.Object(
        { config: Type.Optional(opaque<ConfigPart>('a part of a config')), options: Type.Optional(RunOptionsSchema) },
        closed,
      ),
    ),
    /** By slug; each is the base with one thing swapped. */
    arms: byName<ArmInput>(ArmInput, SLUG.source, 'by slug; each is the base with one thing swapped'),
    /** Each task is made once for each. Default 1, 2, 3. */
    seeds: Type.Optional(
      Type.Array(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), { minItems: 1, maxItems: 1_000 }),
    ),
    scorer: opaque<ScorerInput>('how answers are scored'),
    /** What of an arm's calls is answered from the base's recordings. Default `fill`: whatever they hold. */
    replay: Type.Optional(Type.Enum(['off', 'fill', 'strict'])),
    /** Whether the base is made twice, to see the noise. Default true. */
    aa: Type.Optional(Type.Boolean()),
    /** Of all runs together. Default none. `maxCostUsd` needs models with a price. */
    budget: Type.Optional(
      Type.Object(
        {
          maxTokens: Type.Optional(Type.Integer({ minimum: 1 })),
          maxCostUsd: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
        },
        closed,
      ),
    ),
    /** Runs at once. Default 2. */
    concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 64 })),
    /** Half the width of the range within which a difference of quality counts as none. Default .02. */
    margin: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
    /** Share of failed runs, of an arm or of the base, above which no verdict on quality is given. Default .1. */
    failureLimit: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    /** Score from which a run counts as a success. Default 1. */
    passMark: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    /** Which strata are reported. Default all. */
    strata: Type.Optional(Type.Array(Type.String())),
    /** A folder of which each run gets a copy to work in. Default: all runs read the project's folder. */
    workspace: Type.Optional(text('a folder')),
  },
  closed,
)
export type ExperimentInput = Static<typeof ExperimentInput>
