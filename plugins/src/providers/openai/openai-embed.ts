import { estimateTokens, type ModelInfo, type ModelProvider, ProviderError, type Usage } from '@svc/core'
import type OpenAI from 'openai'
import { findModel } from '../discovery/models.ts'
import { isRecord, toCount, toList, toRecord } from '../format/json.ts'
import type { WireProvider } from '../wire/wire-provider.ts'

/** Texts in one request: as many as every known server takes. */
const BATCH = 96
/** The model for vectors that OpenAI's own endpoint is asked for when nothing names one. */
const VENDOR_MODEL: OpenAI.EmbeddingModel = 'text-embedding-3-small'

/**
 * Vectors over the `openai` package, in requests of at most 96 texts, one after the other.
 *
 * The model is the one asked for, else the first that the provider's config marks `embedding`, else the one that
 * `memory.embedder` names, else OpenAI's own at its own endpoint. A provider with none of the last three has no `embed`.
 *
 * @throws ProviderError as `generate` does; `provider_bad_response` unless there is one vector for each text
 */
export function toEmbed(
  id: string,
  { call, known }: WireProvider<OpenAI>,
  { official, embedder }: { official: boolean; embedder: string | undefined },
): Pick<ModelProvider, 'embed'> {
  const defaultModel = known.find((model) => model.embedding)?.id ?? embedder ?? (official ? VENDOR_MODEL : undefined)
  if (defaultModel === undefined) return {}

  async function ask(input: string[], model: string, signal: AbortSignal): Promise<Batch> {
    const batch = await call({ model, signal, stream: false }, async (client, wire) =>
      readBatch(
        await wire.head(client.embeddings.create({ model, input, encoding_format: 'float' }, wire.options)),
        input,
      ),
    )
    if (batch.vectors.length === input.length) return batch
    const message = `${id}/${model}: ${batch.vectors.length} vectors came for ${input.length} texts`
    throw new ProviderError('provider_bad_response', message, { provider: id })
  }

  return {
    async embed(texts, options) {
      const model = toModelId(known, options.model || defaultModel)
      const vectors: number[][] = []
      const usage: Usage = { inputTokens: 0, outputTokens: 0, estimated: false }
      for (let from = 0; from < texts.length; from += BATCH) {
        const batch = await ask(texts.slice(from, from + BATCH), model, options.signal)
        vectors.push(...batch.vectors)
        usage.inputTokens += batch.usage.inputTokens
        usage.estimated ||= batch.usage.estimated
      }
      return { vectors, usage }
    },
  }
}

interface Batch {
  vectors: number[][]
  usage: Usage
}

const toModelId = (known: readonly ModelInfo[], name: string): string => findModel(known, name)?.id ?? name

/** The vectors in the order of their texts; what is no vector is left out. Servers may leave out any field. */
function readBatch(answer: unknown, texts: readonly string[]): Batch {
  const { data, usage } = toRecord(answer)
  const vectors = toList(data)
    .map((item, place) => ({ index: toCount(toRecord(item).index) ?? place, vector: toRecord(item).embedding }))
    .sort((left, right) => left.index - right.index)
    .flatMap(({ vector }) => (isVector(vector) ? [vector] : []))
  return { vectors, usage: toUsage(usage, texts) }
}

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every((each) => Number.isFinite(each))

function toUsage(reported: unknown, texts: readonly string[]): Usage {
  const tokens = isRecord(reported) ? toCount(reported.prompt_tokens) : undefined
  const inputTokens = tokens ?? texts.reduce((sum, text) => sum + estimateTokens(text), 0)
  return { inputTokens, outputTokens: 0, estimated: tokens === undefined }
}
