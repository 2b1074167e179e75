/** What svc uses of models of the AI SDK; those of specification v2, v3 and v4 all fit. */

/** Text, reasoning and calls of one answer, as `doGenerate` returns them. */
export interface AiSdkResult {
  readonly content: readonly object[]
  readonly finishReason: unknown
  readonly usage: unknown
  readonly response?: { readonly id?: string }
}

/** A language model: its methods are called as `ai` itself calls them. */
export interface AiSdkModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  // biome-ignore lint/suspicious/noExplicitAny: what a call takes differs by specification
  doGenerate(options: any): PromiseLike<AiSdkResult>
  // biome-ignore lint/suspicious/noExplicitAny: as above
  doStream(options: any): PromiseLike<{ readonly stream: ReadableStream<object> }>
}

export interface AiSdkEmbedding {
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined
  // biome-ignore lint/suspicious/noExplicitAny: as above
  doEmbed(options: any): PromiseLike<{ readonly embeddings: number[][]; readonly usage?: { readonly tokens: number } }>
}

/** What a package of the AI SDK makes, such as `google`: models by their names. */
export interface AiSdkModels {
  languageModel(id: string): AiSdkModel
  embeddingModel?(id: string): AiSdkEmbedding
  textEmbeddingModel?(id: string): AiSdkEmbedding
}

/** The number of a specification; whatever is newer is taken for v4. */
export const versionOf = ({ specificationVersion }: AiSdkModel): 2 | 3 | 4 =>
  specificationVersion === 'v2' ? 2 : specificationVersion === 'v3' ? 3 : 4
