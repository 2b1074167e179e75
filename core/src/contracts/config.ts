import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { ModelProvider } from './model/model.ts'
import { AgentInput } from './plugin/agent-profile.ts'
import { RunBudget } from './run/run.ts'
import type { JsonSchema } from './schema.ts'
import { allOptional, ByName, ForEach, Fraction, Opaque, SLUG, Text, Texts } from './schema.ts'
import type { ToolContext } from './tool/tool.ts'
import { Layer, RiskLevel, ToolRisk } from './words.ts'

const closed = { additionalProperties: false } as const
const Positive = Type.Integer({ minimum: 1 })
const Verdict = Type.Enum(['allow', 'ask', 'deny'])
const Switch = (description: string) => Type.Optional(Type.Boolean({ description }))
const StringMap = ByName(Type.String())

/** Soft budget of a run where nothing else is set, in tokens, input and output together. */
export const DEFAULT_TOKEN_BUDGET = 64_000

/** Memory of the programs of one tool call together where nothing else is set, in MiB. */
export const DEFAULT_PROGRAM_MEMORY_MB = 512

/** A plugin as a config holds it. Every `Plugin` is one; the loader hands it on. */
export interface ConfiguredPlugin {
  readonly name: string
  apply(host: never): void | Promise<void>
}

/** What a provider file may say of one model. */
export const ModelConfig = Type.Object(
  {
    id: Type.Optional(Text('as the provider calls it; default the key')),
    alias: Type.Optional(Texts('other names')),
    context: Type.Optional(Positive),
    maxOutput: Type.Optional(Positive),
    tools: Type.Optional(Type.Boolean()),
    vision: Type.Optional(Type.Boolean({ description: 'whether it takes images; default: it is asked' })),
    pdf: Type.Optional(Type.Boolean({ description: 'whether it takes PDFs; default as `vision`' })),
    json: Type.Optional(Type.Enum(['schema', 'object', 'none'])),
    reasoning: Type.Optional(Type.Boolean()),
    embedding: Type.Optional(Type.Boolean()),
    price: Type.Optional(
      Type.Object(
        {
          input: Type.Number({ minimum: 0 }),
          output: Type.Number({ minimum: 0 }),
          cacheRead: Type.Optional(Type.Number({ minimum: 0, description: 'default as `input`' })),
          cacheWrite: Type.Optional(Type.Number({ minimum: 0, description: 'default as `input`' })),
        },
        { ...closed, description: 'US dollars per million tokens' },
      ),
    ),
  },
  closed,
)
export type ModelConfig = Static<typeof ModelConfig>

/** Where a provider departs from its wire format. */
export const Quirks = Type.Object(
  {
    maxTokensField: Type.Optional(
      Type.Enum(['max_tokens', 'max_completion_tokens'], { description: 'field of the output limit' }),
    ),
    systemRole: Type.Optional(
      Type.Enum(['system', 'developer', 'user'], { description: 'role of system messages; default system' }),
    ),
    noStreamUsage: Switch('true: do not ask a stream for its usage'),
    noParallelTools: Switch('true: ask for one tool call at a time'),
    noToolChoice: Switch('true: leave tool_choice out'),
    thinkTags: Switch('text in <think> tags is reasoning; false: it is text'),
    textToolCalls: Switch('true: tools are described in words, and calls are read from the text; false: never'),
    mergeSystem: Switch(
      'true: one system message, at the start, and one message where two of a role follow each other',
    ),
    stripParams: Type.Optional(Texts('request fields to leave out')),
    extraBody: Type.Optional(ByName(Type.Unknown(), { description: 'added to each request' })),
  },
  closed,
)
export type Quirks = Static<typeof Quirks>

/** A provider as a config file describes it. */
export const ProviderConfig = Type.Object(
  {
    type: Text('a registered adapter; built in: openai, openai-responses, anthropic, offline'),
    name: Type.Optional(Type.String()),
    defaultModel: Type.Optional(Type.String()),
    baseUrl: Type.Optional(Type.String({ pattern: '^https?://' })),
    apiKeyEnv: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String())], {
        description: 'names of environment variables, first one set wins',
      }),
    ),
    headers: Type.Optional(StringMap),
    query: Type.Optional(StringMap),
    timeoutMs: Type.Optional(Positive),
    chunkTimeoutMs: Type.Optional(Positive),
    maxRetries: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
    maxConcurrency: Type.Optional(Positive),
    proxy: Type.Optional(Type.String()),
    models: Type.Optional(ByName(ModelConfig)),
    discover: Type.Optional(Type.Boolean()),
    quirks: Type.Optional(Quirks),
    create: Type.Optional(Opaque<(context: ProviderContext) => ModelProvider>('code files only: makes the provider')),
  },
  closed,
)
export type ProviderConfig = Static<typeof ProviderConfig>

/** What `create` of a provider's code file is handed. */
export interface ProviderContext {
  id: string
  env: Readonly<Record<string, string | undefined>>
  /** Follows no redirect unless a request says so: the key would go along. */
  fetch: typeof fetch
}

/** A tool as a config file describes it: exactly one of `http`, `command`, `run` says how it works. */
export const ToolConfig = Type.Object(
  {
    description: Type.String({ minLength: 1 }),
    parameters: Opaque<JsonSchema>('JSON Schema of the arguments'),
    risk: ToolRisk,
    idempotent: Type.Optional(Type.Boolean()),
    timeoutMs: Type.Optional(Positive),
    maxOutputBytes: Type.Optional(Positive),
    http: Type.Optional(
      Type.Object(
        {
          method: Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
          url: Text('`{arg}` stands for an argument, url-encoded'),
          headers: Type.Optional(StringMap),
          body: Type.Optional(Type.Unknown()),
          hosts: Texts('the only hosts it may reach'),
        },
        closed,
      ),
    ),
    command: Type.Optional(Texts('program and arguments, `{arg}` stands for an argument; no shell')),
    touches: Type.Optional(
      Type.Object(
        {
          paths: Type.Optional(Texts('names of the arguments that are paths: they have to lie in the workspace')),
          hosts: Type.Optional(Texts('names of the arguments that are URLs or hosts')),
        },
        { ...closed, description: 'what the rules look at; default: what `command` and `http` say' },
      ),
    ),
    sandbox: Switch('of `command`; false: the program runs outside of the sandbox; default true'),
    run: Type.Optional(Opaque<(args: never, context: ToolContext) => Promise<unknown> | unknown>('code files only')),
  },
  closed,
)
export type ToolConfig = Static<typeof ToolConfig>

/** One rule about tools. */
export const PolicyRule = Type.Object(
  {
    tool: Text('id or glob with `*`'),
    decision: Verdict,
    paths: Type.Optional(Texts('globs of paths it is about')),
    hosts: Type.Optional(Texts('hosts it is about; `*.example.org` for all below')),
    command: Type.Optional(Texts('program and first arguments it is about')),
  },
  closed,
)
export type PolicyRule = Static<typeof PolicyRule>

/** What one process may do at once, what its server takes in, and how much of a tool's result it keeps. */
export const Limits = Type.Object(
  {
    bodyBytes: Type.Optional(Type.Integer({ minimum: 1, description: 'longest request body; default 1048576' })),
    taskChars: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 200_000, description: 'longest task of a request; default 200000' }),
    ),
    jsonDepth: Type.Optional(Type.Integer({ minimum: 1, description: 'deepest JSON of a request; default 64' })),
    requestsPerMinute: Type.Optional(
      Type.Integer({ minimum: 1, description: 'requests of one key, or address, in a minute; default 600' }),
    ),
    sseTotal: Type.Optional(Type.Integer({ minimum: 1, description: 'open event streams; default 2000' })),
    ssePerKey: Type.Optional(Type.Integer({ minimum: 1, description: 'open event streams of one key; default 500' })),
    sseBufferBytes: Type.Optional(
      Type.Integer({ minimum: 1, description: 'unread bytes at which a stream is cut; default 1048576' }),
    ),
    payloadBytes: Type.Optional(
      Type.Integer({
        minimum: 1_024,
        description: 'longest event that is sent, as JSON: its texts are cut until it fits; default 262144',
      }),
    ),
    runningRuns: Type.Optional(Type.Integer({ minimum: 1, description: 'runs at work at once; default 8' })),
    queuedRuns: Type.Optional(Type.Integer({ minimum: 1, description: 'runs that wait for a place; default 1000' })),
    runEvents: Type.Optional(Type.Integer({ minimum: 1, description: 'events of one run; default 50000' })),
    runBytes: Type.Optional(Type.Integer({ minimum: 1, description: 'bytes of the log of one run; default 52428800' })),
    toolResultBytes: Type.Optional(
      Type.Integer({ minimum: 1, description: 'longest tool result handed to a model; default 65536' }),
    ),
  },
  closed,
)
export type Limits = Static<typeof Limits>

/** How `svc serve` listens. */
export const ServerConfig = Type.Object(
  {
    host: Type.Optional(Text('address to listen on; default 127.0.0.1')),
    port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535, description: 'default 4000; 0: any free one' })),
    allowedHosts: Type.Optional(Texts('names that requests may call it by, beside the local ones')),
    allowedOrigins: Type.Optional(Texts('origins of web pages that may call it, such as `https://example.org`')),
    console: Switch('false: no web console; default true'),
    limits: Type.Optional(Limits),
    metrics: Type.Optional(
      Type.Object({ auth: Switch('true: /metrics needs the key as well; default false') }, closed),
    ),
  },
  closed,
)
export type ServerConfig = Static<typeof ServerConfig>

/** The slots of the seven default plugins. */
export const SLOTS = ['analyze', 'allocate', 'orchestrate', 'memory', 'reflect', 'consensus', 'inspect'] as const
export type Slot = (typeof SLOTS)[number]

const SlotValue = Opaque<ConfiguredPlugin | string | false>(
  'a plugin, a module that exports one, or false to switch it off',
)

const fields = {
  extends: Type.Optional(Texts('files that this one overrides')),
  plugins: Type.Optional(
    Opaque<(ConfiguredPlugin | string | [string, object])[]>('asked before the defaults, in this order'),
  ),
  components: Type.Optional(
    Type.Object(
      Object.fromEntries(SLOTS.map((slot) => [slot, Type.Optional(SlotValue)])) as {
        [S in Slot]: ReturnType<typeof Type.Optional<typeof SlotValue>>
      },
      closed,
    ),
  ),
  provider: Type.Optional(Text('id of the provider to use')),
  model: Type.Optional(Text('`provider/model`')),
  fallback: Type.Optional(Texts('models tried in order when the first fails')),
  providers: Type.Optional(ByName(ProviderConfig, {}, SLUG.source)),
  disabledProviders: Type.Optional(Texts('ids of providers that are not to be used')),
  tools: Type.Optional(ByName(Type.Union([ToolConfig, Type.Literal(false)]))),
  agents: Type.Optional(ByName(Type.Object(allOptional(AgentInput.properties), closed))),
  policy: Type.Optional(
    Type.Object(
      {
        default: Type.Optional(Verdict),
        rules: Type.Optional(Type.Array(PolicyRule)),
        root: Type.Optional(Text('folder that tools are confined to; default the workspace')),
        sandbox: Type.Optional(
          Type.Enum(['auto', 'bwrap', 'unshare', 'none'], {
            description: 'what programs of tools run in; auto (default): the best there is; none: no sandbox',
          }),
        ),
        network: Type.Optional(
          Type.Union([Type.Boolean(), Type.Array(Type.Array(Type.String(), { minItems: 1 }))], {
            description:
              'which commands reach the network: true: all; or those that begin with such words, as [["npm", "ci"]]; default none',
          }),
        ),
        memoryMb: Type.Optional(
          Type.Integer({
            minimum: 64,
            maximum: 1_048_576,
            description: `memory of the programs of one call together, in MiB; default ${DEFAULT_PROGRAM_MEMORY_MB}`,
          }),
        ),
        shell: Switch('true: the tool `shell`, which runs scripts, is offered; default false'),
      },
      closed,
    ),
  ),
  budget: Type.Optional(RunBudget),
  tokenBudget: Type.Optional(Positive),
  defaultTopology: Type.Optional(Text('what the analyzer falls back to; default SINGLE')),
  persistSessions: Type.Optional(Type.Boolean()),
  memory: Type.Optional(
    Type.Object(
      {
        limits: Type.Optional(ForEach(Layer, Type.Optional(Positive))),
        embedder: Type.Optional(Text('`provider/model` that embeds')),
      },
      closed,
    ),
  ),
  consensus: Type.Optional(
    Type.Object(
      {
        models: Type.Optional(Texts('who votes')),
        minRisk: Type.Optional(RiskLevel),
        threshold: Type.Optional(Fraction('quorum')),
      },
      closed,
    ),
  ),
  server: Type.Optional(ServerConfig),
  store: Type.Optional(
    Type.Object(
      {
        url: Type.Optional(Type.String()),
        dir: Type.Optional(Type.String()),
        fsync: Type.Optional(
          Type.Enum(['always', 'group', 'off'], {
            description:
              'always: each write by itself; group (default): what runs write at once, together; off: left to the system',
          }),
        ),
        retainDays: Type.Optional(Type.Number({ minimum: 0 })),
        limits: Type.Optional(
          Type.Object(
            {
              runningRuns: Type.Optional(Type.Integer({ minimum: 1, description: 'runs at work at once' })),
              startsPerMinute: Type.Optional(Type.Integer({ minimum: 1, description: 'runs that begin in a minute' })),
            },
            { ...closed, description: 'over all workers of a PostgreSQL; those of the worker that started last count' },
          ),
        ),
        space: Type.Optional(
          Text('name of what runs here have in common: they are worked on where it is the same; default the folder'),
        ),
      },
      closed,
    ),
  ),
  telemetry: Type.Optional(
    Type.Object(
      {
        otlp: Type.Optional(
          Type.String({ pattern: '^https?://', description: 'OTLP/HTTP collector that the spans of runs are sent to' }),
        ),
        content: Switch('true: with tasks, answers, and what tools got and gave; default false'),
      },
      closed,
    ),
  ),
}

/** Everything that a config file may say. */
export const SvcConfig = Type.Object(fields, closed)
export type SvcConfig = Static<typeof SvcConfig>

/** The bounds that a managed file sets for everyone on the machine. */
export const ManagedConfig = Type.Object(
  {
    policy: fields.policy,
    budget: fields.budget,
    server: Type.Optional(Type.Object({ limits: Type.Optional(Limits) }, closed)),
    mandatory: Type.Optional(
      Texts("plugins that no config may leave out or replace: files such as /etc/svc/audit.mjs, or names of svc's own"),
    ),
  },
  closed,
)
export type ManagedConfig = Static<typeof ManagedConfig>

/** What an untrusted file adds to what a person has set: it is held against each call and each run, and never loosens. */
export interface Tightening {
  /** The file that says so. */
  source: string
  policy?: NonNullable<SvcConfig['policy']>
  /** Bound on the hard budget in tokens, of runs that name none of their own. */
  maxTokens?: number
  /** Taken where it is a model of the provider that speaks without it: a folder does not decide to whom a task goes. */
  model?: string
  /** As `model`, each of them. */
  fallback?: string[]
}
