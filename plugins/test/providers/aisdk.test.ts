/** Models of the AI SDK that a program has made itself, of each specification, and what svc does with what they say. */
import { createGoogle } from '@ai-sdk/google'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { type ContentPart, type Message, type ModelRequest, textMessage } from '@svc/core'
import { loadConfig } from '@svc/core/config'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type AiSdkModel, createAiSdkProvider, createProvider, createRuntime } from '../../src/index.ts'
import { ask, failure, toRequest } from '../fixtures/ask.ts'
import { folderOf } from '../fixtures/folder-of.ts'

const test = suite('models of the AI SDK')

type Json = Record<string, unknown>
const VERSIONS = ['v2', 'v3', 'v4'] as const
type Version = (typeof VERSIONS)[number]

const USAGE: Record<Version, object> = {
  v2: { inputTokens: 30, outputTokens: 9, totalTokens: 39, cachedInputTokens: 20, reasoningTokens: 4 },
  v3: { inputTokens: { total: 30, cacheRead: 20 }, outputTokens: { total: 9, reasoning: 4 } },
  v4: { inputTokens: { total: 30, cacheRead: 20 }, outputTokens: { total: 9, reasoning: 4 } },
}
const finishOf = (version: Version, reason: string) => (version === 'v2' ? reason : { unified: reason, raw: reason })

/** A model that answers this, in both ways, and what it was called with. */
function modelOf(version: Version, content: Json[], reason = 'stop') {
  const calls: Json[] = []
  const end = { finishReason: finishOf(version, reason), usage: USAGE[version] }
  const pieces = content.flatMap((part, at): Json[] => {
    if (part.type !== 'text' && part.type !== 'reasoning') return [part]
    const { type, text, ...more } = part
    return [
      { type: `${type}-start`, id: `${at}` },
      { type: `${type}-delta`, id: `${at}`, delta: text },
      { type: `${type}-end`, id: `${at}`, ...more },
    ]
  })
  const model: AiSdkModel = {
    specificationVersion: version,
    provider: 'hand-made',
    modelId: 'small',
    async doGenerate(options: Json) {
      calls.push(options)
      return { content, ...end, response: { id: 'answer-1' } }
    },
    async doStream(options: Json) {
      calls.push(options)
      const all = [{ type: 'response-metadata', id: 'answer-1' }, ...pieces, { type: 'finish', ...end }]
      return { stream: ReadableStream.from(all) as ReadableStream<object> }
    },
  }
  return { provider: createAiSdkProvider('mine', model), calls }
}

/** A model whose calls fail so, at once or inside a stream. */
const failing = (thrown: unknown, inside = false) =>
  createAiSdkProvider('mine', {
    ...{ specificationVersion: 'v4', provider: 'hand-made', modelId: 'small' },
    doGenerate: () => Promise.reject(thrown),
    doStream: async () =>
      inside
        ? { stream: ReadableStream.from([{ type: 'error', error: thrown }]) as ReadableStream<object> }
        : Promise.reject(thrown),
  })
const apiError = (more: object): Error => Object.assign(new Error('said no'), { name: 'AI_APICallError', ...more })

const image: ContentPart = { type: 'image', mimeType: 'image/png', data: 'AAAA', name: 'a.png' }
const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: '',
  stream: false,
  messages: [
    textMessage('system', 'Be brief.'),
    { role: 'user', content: [{ type: 'text', text: 'look' }, image] },
    { role: 'assistant', content: [], toolCalls: [{ callId: 'c1', tool: 'mcp.files.read', args: { path: 'a' } }] },
    { role: 'tool', toolCallId: 'c1', content: [{ type: 'text', text: 'seen' }, image] },
  ],
  tools: [{ id: 'mcp.files.read', description: 'reads', parameters: { properties: {} } }],
  ...more,
})

const FILE: Record<Version, unknown> = { v2: 'AAAA', v3: 'AAAA', v4: { type: 'data', data: 'AAAA' } }
const RESULT: Record<Version, unknown> = {
  v2: { type: 'media', mediaType: 'image/png', data: 'AAAA' },
  v3: { type: 'image-data', mediaType: 'image/png', data: 'AAAA' },
  v4: { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' }, filename: 'a.png' },
}

for (const version of VERSIONS) {
  test(`${version}: a conversation, its images and its tools have the form of the specification`, async () => {
    const { provider, calls } = modelOf(version, [{ type: 'text', text: 'ok' }])
    const outputSchema = { type: 'object', properties: {} }
    const more = { outputSchema, maxOutputTokens: 50, temperature: 0.5, seed: 7, stop: ['END'], effort: 'low' as const }
    await ask(provider, request({ ...more, toolChoice: { tool: 'mcp.files.read' } }))
    const { prompt, abortSignal, ...options } = calls[0] ?? {}
    assert.instance(abortSignal, AbortSignal)
    assert.equal(prompt, [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'file', mediaType: 'image/png', data: FILE[version], filename: 'a.png' },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'mcp_files_read', input: { path: 'a' } }],
      },
      {
        role: 'tool',
        content: [
          {
            ...{ type: 'tool-result', toolCallId: 'c1', toolName: 'mcp_files_read' },
            output: { type: 'content', value: [{ type: 'text', text: 'seen' }, RESULT[version]] },
          },
        ],
      },
    ])
    assert.equal(options, {
      ...{ maxOutputTokens: 50, temperature: 0.5, seed: 7, stopSequences: ['END'] },
      ...(version === 'v4' && { reasoning: 'low' }),
      responseFormat: { type: 'json', schema: outputSchema, name: 'answer' },
      tools: [
        {
          ...{ type: 'function', name: 'mcp_files_read', description: 'reads' },
          inputSchema: { type: 'object', properties: {} },
        },
      ],
      toolChoice: { type: 'tool', toolName: 'mcp_files_read' },
    })
  })

  for (const stream of [false, true]) {
    test(`${version}, ${stream ? 'streamed' : 'whole'}: counts, calls and signatures come through, and signatures go back`, async () => {
      const metadata = { vendor: { signature: 'signed' } }
      const { provider, calls } = modelOf(
        version,
        [
          { type: 'reasoning', text: 'hm', providerMetadata: metadata },
          { type: 'text', text: 'let me see' },
          {
            type: 'tool-call',
            toolCallId: 'c9',
            toolName: 'mcp_files_read',
            input: '{"path":"b"}',
            providerMetadata: metadata,
          },
        ],
        'tool-calls',
      )
      const { text, reasoning, toolCalls, finish } = await ask(provider, request({ stream }))
      assert.equal(
        [text, reasoning, finish.finishReason, finish.responseId],
        ['let me see', 'hm', 'toolCalls', 'answer-1'],
      )
      assert.equal(toolCalls, [{ callId: 'c9', tool: 'mcp.files.read', args: { path: 'b' } }])
      const { usage, state } = finish
      const { inputTokens, outputTokens, cachedTokens, reasoningTokens } = usage
      assert.equal([inputTokens, outputTokens, cachedTokens, reasoningTokens], [30, 9, 20, 4])
      const answered: Message = { role: 'assistant', content: [{ type: 'text', text }], toolCalls, state }
      const result: Message = { role: 'tool', toolCallId: 'c9', content: [{ type: 'text', text: 'b' }] }
      await ask(provider, request({ stream, messages: [textMessage('user', 'look'), answered, result] }))
      const prompt = calls[1]?.prompt as { content: Json[] }[]
      assert.equal(prompt[1]?.content, [
        { type: 'reasoning', text: 'hm', providerOptions: metadata },
        { type: 'text', text: 'let me see' },
        {
          ...{ type: 'tool-call', toolCallId: 'c9', toolName: 'mcp_files_read', input: { path: 'b' } },
          providerOptions: metadata,
        },
      ])
    })
  }
}

test('failures become those of svc, with the wait that the vendor asks for', async () => {
  const headers = { 'retry-after': '12' }
  for (const inside of [false, true]) {
    const of = (thrown: unknown) => failure(failing(thrown, inside), toRequest({ stream: inside }))
    const limited = await of(
      apiError({ statusCode: 429, responseHeaders: headers, responseBody: '{"error":{"message":"slow"}}' }),
    )
    assert.equal(
      [limited.code, limited.retryAfterMs, limited.providerStatus, limited.retryable],
      ['provider_rate_limited', 12_000, 429, true],
    )
    assert.is((await of(apiError({ statusCode: 401 }))).code, 'provider_auth')
    assert.is((await of(apiError({ statusCode: 503 }))).code, 'provider_unavailable')
    assert.is(
      (await of(apiError({ statusCode: 400, responseBody: '{"error":{"message":"prompt is too long"}}' }))).code,
      'context_overflow',
    )
    assert.is((await of(apiError({ statusCode: 200 }))).code, 'provider_bad_response')
    assert.is(
      (await of(apiError({ cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) }))).code,
      'provider_unavailable',
    )
    assert.is((await of(Object.assign(new Error('no such'), { name: 'AI_NoSuchModelError' }))).code, 'model_not_found')
  }
  const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
  const { code, providerStatus } = await failure(failing(overloaded, true), toRequest({ stream: true }))
  assert.equal([code, providerStatus], ['provider_unavailable', 529])
})

test('a silent model ends with the bounds of its provider, and an abort ends its call', async () => {
  const never = new Promise<never>(() => {})
  const silent: AiSdkModel = {
    ...{ specificationVersion: 'v4', provider: 'hand-made', modelId: 'small' },
    doGenerate: () => never,
    doStream: async () => ({ stream: new ReadableStream() }),
  }
  const bounded = createAiSdkProvider('mine', silent, { timeoutMs: 20, chunkTimeoutMs: 20 })
  for (const stream of [false, true]) {
    assert.is((await failure(bounded, toRequest({ stream }))).code, 'provider_timeout')
    const controller = new AbortController()
    const asked = ask(createAiSdkProvider('mine', silent), toRequest({ stream }), controller.signal)
    controller.abort()
    const { code } = await asked.then(
      () => ({ code: 'none' }),
      (thrown) => thrown,
    )
    assert.is(code, 'cancelled')
  }
})

test('vectors come from what a package makes, in as many requests as its model takes', async () => {
  const asked: string[][] = []
  const provider = createAiSdkProvider(
    'mine',
    {
      languageModel: () => {
        throw new Error('not asked')
      },
      embeddingModel: () => ({
        maxEmbeddingsPerCall: 2,
        doEmbed: async ({ values }: { values: string[] }) => {
          asked.push(values)
          return { embeddings: values.map((text) => [text.length, 1]), usage: { tokens: values.length } }
        },
      }),
    },
    { models: { small: { embedding: true } } },
  )
  const made = await provider.embed?.(['a', 'bb', 'ccc'], { signal: new AbortController().signal })
  assert.equal(made?.vectors, [
    [1, 1],
    [2, 1],
    [3, 1],
  ])
  assert.equal([made?.usage.inputTokens, made?.usage.estimated], [3, false])
  assert.equal(asked, [['a', 'bb'], ['ccc']])
})

test('a package that is not there, and a provider without one, are errors that say what to do', async () => {
  const absent = createProvider('mine', { type: 'aisdk', package: '@ai-sdk/nowhere', defaultModel: 'm' }, { env: {} })
  const thrown = await absent.complete?.(toRequest(), { signal: new AbortController().signal }).catch((error) => error)
  assert.equal(
    [thrown.code, thrown.message],
    [
      'no_provider',
      "provider 'mine' needs the package @ai-sdk/nowhere, which is not installed. Fix: npm install @ai-sdk/nowhere, where svc is installed",
    ],
  )
  assert.throws(() => createProvider('mine', { type: 'aisdk' }, { env: {} }), /names no package/)
})

test('a package that an untrusted folder names, or has in its node_modules, is not loaded', async () => {
  const evil = 'globalThis.loadedFromFolder = true\nexport const createEvil = () => ({ languageModel() {} })\n'
  const folder = folderOf({
    'svc.config.json': JSON.stringify({
      model: 'evil/m',
      providers: { evil: { type: 'aisdk', package: 'evil-models' } },
    }),
    'node_modules/evil-models/package.json': '{"name":"evil-models","type":"module","exports":"./index.js"}',
    'node_modules/evil-models/index.js': evil,
  })
  const env = { HOME: folder, XDG_CACHE_HOME: folder }
  for (const flags of [{}, { model: 'aisdk:evil-models/m' }, { model: 'evil/m' }]) {
    const place = { cwd: folder, userDir: folderOf(), managedFile: `${folder}/none`, env }
    const loaded = await loadConfig({ ...place, flags })
    assert.equal([loaded.trusted, loaded.providers], [false, []])
    const ended = createRuntime(loaded, { env, workspace: folder, persist: false }).then(async (runtime) => {
      const { id } = await runtime.runs.create({ task: 'What is 6 times 7?' })
      await runtime.runs.wait(id)
      await runtime.close()
    })
    await ended.catch((thrown) => assert.is(thrown.code, 'unknown_provider'))
    assert.is((globalThis as { loadedFromFolder?: boolean }).loadedFromFolder, undefined)
  }
})

test('what packages of v3 and v4 make is taken, and one model of theirs', async () => {
  const asked: string[] = []
  const answer = async (url: unknown): Promise<Response> => {
    asked.push(new URL(String(url)).pathname)
    return Response.json({
      choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }],
      candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }],
    })
  }
  const settings = { baseURL: 'http://127.0.0.1:9/v1', apiKey: 'none', fetch: answer as typeof fetch }
  const google = createGoogle(settings)
  const house = createOpenAICompatible({ name: 'house', ...settings })
  for (const provider of [
    createAiSdkProvider('mine', google, { defaultModel: 'small' }),
    createAiSdkProvider('mine', google('small')),
    createAiSdkProvider('mine', house, { defaultModel: 'small' }),
    createAiSdkProvider('mine', house('small')),
  ])
    assert.is((await ask(provider, toRequest())).text, 'ok')
  assert.equal(asked, [
    ...['/v1/models/small:generateContent', '/v1/models/small:generateContent'],
    ...['/v1/chat/completions', '/v1/chat/completions'],
  ])
})

test.run()
