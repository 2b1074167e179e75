import type { ProviderAdapter } from '@svc/core'
import type OpenAI from 'openai'
import { OPENAI_DEFAULT_MODEL } from '../discovery/default-models.ts'
import { OPENAI, requireKey, toEndpoint } from '../discovery/endpoint.ts'
import type { AnswerReader, ReaderOptions } from '../wire/answer-reader.ts'
import type { WireCall } from '../wire/vendor-call.ts'
import { toWireProvider, type WireQuestion } from '../wire/wire-provider.ts'
import { loadOpenai } from './openai-client.ts'
import { toEmbed } from './openai-embed.ts'

/** One of OpenAI's wire formats. */
interface OpenaiFormat {
  /** @param official whether the server is OpenAI's own */
  toBody(question: WireQuestion, official: boolean): Record<string, unknown>
  send(client: OpenAI, body: object, options: WireCall['options']): Promise<Response>
  read(options: ReaderOptions): AnswerReader
}

/** An adapter over the `openai` package, with vectors. */
export const toOpenaiAdapter =
  ({ toBody, send, read }: OpenaiFormat): ProviderAdapter =>
  (id, config, context) => {
    const endpoint = toEndpoint(id, config, context, OPENAI)
    requireKey(id, endpoint)
    const { official } = endpoint
    const wire = toWireProvider<OpenAI>({
      id,
      config,
      context,
      endpoint,
      vendorModel: OPENAI_DEFAULT_MODEL,
      load: (limitMs) => loadOpenai(endpoint, context, limitMs),
      toBody: (question) => toBody(question, official),
      send,
      read,
      list: (client, options) => client.models.list(options),
    })
    return { ...wire.provider, ...toEmbed(id, wire, { official, embedder: context.embedder }) }
  }
