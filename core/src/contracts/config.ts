import type { Static } from 'typebox'
import * as Type from 'typebox'
import { SLUG, WEB } from './ids.ts'
import { McpServers } from './mcp-server.ts'
import type { ModelProvider } from './model/model.ts'
import { OidcConfig } from './oidc.ts'
import { AgentInput } from './plugin/agent-profile.ts'
import { PolicyRule } from './policy-rule.ts'
import { RunBudget } from './run/run.ts'
import type { JsonSchema } from './schema.ts'
import { allOptional, ByName, Fraction, Opaque, Text, Texts } from './schema.ts'
import type { ToolContext } from './tool/tool.ts'
import { RiskLevel, ToolRisk } from './words.ts'

const closed = { additionalProperties: false } as const
/** A whole number from 1, which may be left out. */
const Positive = (description: string, value?: number) =>
  Type.Optional(Type.Integer({ minimum: 1, description, ...(value !== undefined && { default: value }) }))
const Verdict = (description: string) => Type.Enum(['allow', 'ask', 'deny'], { description })
const Switch = (description: string, value?: boolean) =>
  Type.Optional(Type.Boolean({ description, ...(value !== undefined && { default: value }) }))
const StringMap = (description: string) => ByName(Type.String(), { description })
const price = (description: string) => Type.Number({ minimum: 0, description })

/** Soft budget of a run where nothing else is set, in tokens, input and output together. */
export const DEFAULT_TOKEN_BUDGET = 64_000

/** Memory of the programs of one tool call together where nothing else is set, in MiB. */
export const DEFAULT_PROGRAM_MEMORY_MB = 512
/** Image of containers that programs of tools run in, where the machine has no other sandbox. */
export const DEFAULT_SANDBOX_IMAGE = 'docker.io/library/node:22'

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
    context: Positive('tokens that it reads and writes together'),
    maxOutput: Positive('tokens of its longest answer'),
    tools: Switch('whether it calls tools; default: it is asked'),
    vision: Switch('whether it takes images; default: it is asked'),
    pdf: Switch('whether it takes PDFs; default as `vision`'),
    json: Type.Optional(
      Type.Enum(['schema', 'object', 'none'], { description: 'what of JSON can be asked for: of a schema, any, none' }),
    ),
    reasoning: Switch('whether it reasons before it answers'),
    embedding: Switch('true: it makes vectors and answers nothing'),
    maxConcurrency: Positive('calls at once; default no limit'),
    requestsPerMinute: Positive('calls in a minute; default no limit'),
    tokensPerMinute: Positive('tokens in a minute, input and output together; default no limit'),
    price: Type.Optional(
      Type.Object(
        {
          input: price('of what is read'),
          output: price('of what is written'),
          cacheRead: Type.Optional(price('of what is read from a cache; default as `input`')),
          cacheWrite: Type.Optional(price('of what is written to a cache; default as `input`')),
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
    textToolCalls: Switch(
      'true: tools are described in words, and calls are read from the text, but for models with `tools: true`; false: never',
    ),
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
    type: Text(
      'wire format: `openai` (chat completions), `openai-responses`, `anthropic` (messages), `aisdk`, `offline`, or one of a plugin',
    ),
    package: Type.Optional(
      Type.String({
        pattern: '^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$',
        description: 'of `aisdk`: package of the AI SDK, such as `@ai-sdk/google`, installed where svc is',
      }),
    ),
    options: Type.Optional(
      ByName(Type.Unknown(), { description: 'of `aisdk`: settings of the package, such as `region` or `project`' }),
    ),
    name: Type.Optional(Text('shown to people')),
    defaultModel: Type.Optional(Text('used where only the provider is named')),
    baseUrl: Type.Optional(Type.String({ pattern: WEB, description: "where it is; default the vendor's own address" })),
    apiKeyEnv: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String())], {
        description: 'environment variable, or variables, that hold the key: the first one that is set counts',
      }),
    ),
    headers: Type.Optional(StringMap('sent with each request; `{env:NAME}` is a variable')),
    query: Type.Optional(StringMap('added to the address of each request; `{env:NAME}` is a variable')),
    timeoutMs: Positive('longest wait for the head of a response, and for a whole body', 300_000),
    chunkTimeoutMs: Positive('longest silence of a stream', 120_000),
    maxRetries: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 10, default: 3, description: 'how often a call that failed is made again' }),
    ),
    maxConcurrency: Positive('calls at once; default no limit'),
    requestsPerMinute: Positive('calls in a minute; default no limit'),
    tokensPerMinute: Positive('tokens in a minute, input and output together; default no limit'),
    proxy: Type.Optional(Text('address of a proxy, instead of that of the environment')),
    models: Type.Optional(ByName(ModelConfig, { description: 'what is known of its models, by name' })),
    discover: Switch('true: ask the server for its models'),
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
    description: Type.String({ minLength: 1, description: 'what it does and when to use it: the model reads this' }),
    parameters: Opaque<JsonSchema>('JSON Schema of the arguments, of type object'),
    risk: Type.Enum(ToolRisk.enum, {
      description: '`read` runs; `write`, `network` and `execute` ask; `destructive` is denied unless a rule allows it',
    }),
    idempotent: Switch('true: calling it twice with one key is the same as once', false),
    timeoutMs: Positive('longest call', 30_000),
    maxOutputBytes: Positive('longest result; what is longer is cut and marked', 65_536),
    http: Type.Optional(
      Type.Object(
        {
          method: Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { description: 'of the request' }),
          url: Text('`{arg}` stands for an argument, url-encoded'),
          headers: Type.Optional(StringMap('`{env:NAME}` is a variable, read at each call')),
          body: Type.Optional(Type.Unknown({ description: 'sent as JSON; `{arg}` stands for an argument' })),
          hosts: Texts('the only hosts it may reach'),
        },
        { ...closed, description: 'a request to a web service' },
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
    sandbox: Switch('of `command`; false: the program runs outside of the sandbox', true),
    run: Type.Optional(
      Opaque<(args: never, context: ToolContext) => Promise<unknown> | unknown>('code files only: does the work'),
    ),
  },
  closed,
)
export type ToolConfig = Static<typeof ToolConfig>

/** What one process may do at once, what its server takes in, and how much of a tool's result it keeps. */
export const Limits = Type.Object(
  {
    bodyBytes: Positive('longest request body, in bytes', 1_048_576),
    conversationBytes: Positive(
      'longest request body, in bytes, of a protocol that sends a conversation whole, with its images',
      33_554_432,
    ),
    taskChars: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 200_000,
        default: 200_000,
        description: 'longest task of a request, in characters',
      }),
    ),
    jsonDepth: Positive('levels of the JSON of a request', 64),
    requestsPerMinute: Positive('requests of one key, or address, in a minute', 600),
    sseTotal: Positive('open event streams', 2_000),
    ssePerKey: Positive('open event streams of one key', 500),
    sseBufferBytes: Positive('unread bytes at which a stream is cut', 1_048_576),
    payloadBytes: Type.Optional(
      Type.Integer({
        minimum: 1_024,
        default: 262_144,
        description: 'longest event that is sent, in bytes of JSON: its texts are cut until it fits',
      }),
    ),
    runningRuns: Positive('runs at work at once in one process, without those that wait for somebody', 8),
    queuedRuns: Positive('runs that wait for a place', 1_000),
    runEvents: Positive(
      'longest log of one run, in events: at a fifth of it there is the warning `log_long`, at its end the run is `incomplete` with `max_steps`',
      50_000,
    ),
    runBytes: Positive('longest log of one run, in bytes; as `runEvents`', 52_428_800),
    toolResultBytes: Positive('longest tool result that a model is given, in bytes', 65_536),
  },
  closed,
)
export type Limits = Static<typeof Limits>

/** How `svc serve` listens. */
export const ServerConfig = Type.Object(
  {
    host: Type.Optional(Type.String({ default: '127.0.0.1', description: 'address to listen on' })),
    port: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 65_535, default: 4000, description: 'port to listen on; 0: any free one' }),
    ),
    publicUrl: Type.Optional(
      Type.String({
        pattern: WEB,
        description:
          'address that people and proxies reach it by, such as `https://svc.example.com`; its host is allowed',
      }),
    ),
    allowedHosts: Type.Optional(
      Texts(
        'hosts that requests may call it by, beside the local ones: names, `*.example.com` for every name below it, addresses, and ranges such as `10.0.0.0/8`; a port where it ends with one, such as `:8080`',
      ),
    ),
    allowedOrigins: Type.Optional(Texts('origins of web pages that may call it, such as `https://example.org`')),
    oidc: Type.Optional(OidcConfig),
    console: Switch('false: no web console', true),
    work: Switch('false: `svc serve` answers and works on no runs, which `svc worker` processes do', true),
    adapters: Type.Optional(
      Type.Object(
        {
          openai: Switch('false: no chat completions and responses of OpenAI', true),
          anthropic: Switch('false: no messages of Anthropic', true),
          mcp: Switch('false: no MCP server', true),
          a2a: Switch('false: no A2A', true),
          agui: Switch('false: no AG-UI', true),
        },
        { ...closed, description: 'protocols of others that clients may speak' },
      ),
    ),
    limits: Type.Optional(Limits),
    metrics: Type.Optional(Type.Object({ auth: Switch('true: /metrics needs the key as well', false) }, closed)),
    probes: Type.Optional(
      Type.Object(
        {
          host: Type.Optional(Type.String({ default: '127.0.0.1', description: 'address to listen on' })),
          port: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 65_535,
              description: 'port to listen on; 0: any free one; default none',
            }),
          ),
        },
        {
          ...closed,
          description: 'where `svc worker` serves `/livez`, `/readyz`, `/health` and `/metrics`, and nothing else',
        },
      ),
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
    Opaque<(ConfiguredPlugin | string | [string, object])[]>(
      'list of plugins, or of modules that export one, asked before the defaults in this order',
    ),
  ),
  components: Type.Optional(
    Type.Object(
      Object.fromEntries(SLOTS.map((slot) => [slot, Type.Optional(SlotValue)])) as {
        [S in Slot]: ReturnType<typeof Type.Optional<typeof SlotValue>>
      },
      { ...closed, description: 'what takes the place of a default plugin' },
    ),
  ),
  provider: Type.Optional(Text('id of the provider to use')),
  model: Type.Optional(Text('model of every agent, as `provider/model`')),
  smallModel: Type.Optional(
    Text('model of small work beside the task, such as summing up and judging, as `provider/model`; default `model`'),
  ),
  fallback: Type.Optional(Texts('models tried in order when the first fails')),
  providers: Type.Optional(ByName(ProviderConfig, { description: 'ways to models, by id' }, SLUG.source)),
  disabledProviders: Type.Optional(Texts('ids of providers that are not to be used')),
  tools: Type.Optional(
    ByName(Type.Union([ToolConfig, Type.Literal(false)]), { description: 'tools by id; false takes one away' }),
  ),
  mcpServers: Type.Optional(McpServers),
  agents: Type.Optional(
    ByName(Type.Object(allOptional(AgentInput.properties), closed), { description: 'agent profiles by id' }),
  ),
  policy: Type.Optional(
    Type.Object(
      {
        default: Type.Optional(Verdict('what becomes of a call that no rule is about; default by its risk')),
        rules: Type.Optional(
          Type.Array(PolicyRule, { description: 'of those that a call touches, the strictest counts' }),
        ),
        root: Type.Optional(Text('folder that tools are confined to; default the workspace')),
        sandbox: Type.Optional(
          Type.Enum(['auto', 'bwrap', 'unshare', 'docker', 'podman', 'none'], {
            default: 'auto',
            description: 'what programs of tools run in; auto: the first of these that works; none: no sandbox',
          }),
        ),
        sandboxImage: Type.Optional(
          Type.String({
            pattern: '^[a-z0-9][\\w./:@-]*$',
            default: DEFAULT_SANDBOX_IMAGE,
            description:
              'image of docker or podman that has the programs; it has to be on the machine: nothing is pulled',
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
            default: DEFAULT_PROGRAM_MEMORY_MB,
            description: 'memory of the programs of one call together, in MiB; an untrusted file may only lower it',
          }),
        ),
        shell: Switch('true: the tool `shell`, which runs scripts, is offered', false),
      },
      closed,
    ),
  ),
  budget: Type.Optional(RunBudget),
  tokenBudget: Positive(
    'soft budget of a run in tokens, input and output together: when it is used up, no new step starts',
    DEFAULT_TOKEN_BUDGET,
  ),
  defaultTopology: Type.Optional(
    Type.String({
      default: 'SINGLE',
      description:
        'what the analysis falls back to; the name of one that a plugin registered stands in for SINGLE wherever that is recommended',
    }),
  ),
  maxPlanSteps: Positive('steps that a plan may have', 256),
  persistSessions: Switch('whether a run recalls earlier runs of the same client and learns from them', true),
  memory: Type.Optional(
    Type.Object(
      {
        limits: Type.Optional(
          Type.Object({
            working: Positive('tokens of a session', 8192),
            episodic: Positive('records', 100_000),
            'long-term': Positive('records', 20_000),
          }),
        ),
        embedder: Type.Optional(
          Text(
            '`provider/model` whose vectors find memories by meaning: their text is sent there; without it, or when it fails, they are found by their words',
          ),
        ),
      },
      closed,
    ),
  ),
  consensus: Type.Optional(
    Type.Object(
      {
        models: Type.Optional(Texts("models that vote, as `provider/model`; default the run's")),
        minRisk: Type.Optional(
          Type.Enum(RiskLevel.enum, {
            default: 'high',
            description: 'risk from which the default plugin asks for votes',
          }),
        ),
        threshold: Type.Optional(Fraction('share of the votes that the leader needs; default by risk')),
      },
      closed,
    ),
  ),
  server: Type.Optional(ServerConfig),
  store: Type.Optional(
    Type.Object(
      {
        url: Type.Optional(
          Text('database that runs are kept in, such as `sqlite:path/to/file` or `postgres://host/database`'),
        ),
        dir: Type.Optional(Text('folder for data')),
        fsync: Type.Optional(
          Type.Enum(['always', 'group', 'off'], {
            description:
              'always: each write becomes durable by itself; group: what runs write at the same time does so together; off: a crash of the machine may lose the newest',
            default: 'group',
          }),
        ),
        migrate: Switch(
          'false: the tables of an older svc in PostgreSQL, or missing ones, are refused until `svc migrate` has made them',
          true,
        ),
        retainDays: Type.Optional(
          Type.Number({
            minimum: 0,
            description: 'days after which ended runs, and what runs wrote to the memory, are deleted; default never',
          }),
        ),
        retainRuns: Type.Optional(
          Type.Integer({
            minimum: 0,
            description:
              'ended runs of a folder that are kept, the newest; default all, in memory without a store 1000 of all folders',
          }),
        ),
        retainBytes: Type.Optional(
          Type.Integer({
            minimum: 0,
            description:
              'bytes that the ended runs of a folder may take together, the newest are kept; default no limit',
          }),
        ),
        limits: Type.Optional(
          Type.Object(
            {
              runningRuns: Positive('runs at work at once; default no limit'),
              startsPerMinute: Positive('runs that begin in a minute; default no limit'),
            },
            { ...closed, description: 'over all workers of a PostgreSQL; those of the worker that started last count' },
          ),
        ),
        space: Type.Optional(
          Text(
            "name of what is worked on together; default the project's folder. Processes in different folders, or on machines where the folder has another path, give the same",
          ),
        ),
      },
      closed,
    ),
  ),
  telemetry: Type.Optional(
    Type.Object(
      {
        otlp: Type.Optional(
          Type.String({
            pattern: WEB,
            description:
              'OTLP/HTTP collector that the spans of runs are sent to, such as http://127.0.0.1:4318; default none',
          }),
        ),
        content: Switch('true: with tasks, answers, and what tools got and gave', false),
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
