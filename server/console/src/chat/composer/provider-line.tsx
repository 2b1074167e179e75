import type { RuntimeInfo } from '@svc/sdk/remote'

interface ProviderLineProps {
  info: RuntimeInfo | undefined
  /** Whether nothing was said yet: later a few words beside the model say it. */
  isNew: boolean
}

/** Says, where it is so, that no language model answers, and how to have one. */
export function ProviderLine({ info, isNew }: ProviderLineProps) {
  const model = info?.defaultModel ?? ''
  if (model.startsWith('none'))
    return (
      <p class="tiny error-text chat-provider">
        No model can be asked ({model}): set one up and start the server again; <code>svc doctor</code> says how.
      </p>
    )
  if (!isNew || !model.startsWith('offline/')) return null
  return (
    <p class="tiny soft chat-provider">
      No language model is set up: answers are quoted from files, or calculated. For one, set a key such as
      ANTHROPIC_API_KEY where the server is started.
    </p>
  )
}
