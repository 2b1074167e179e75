import type { RuntimeInfo } from '@svc/sdk/remote'

/** Which model answers, in one line; that there is none is said as it is. */
export function ProviderLine({ info }: { info: RuntimeInfo | undefined }) {
  if (info === undefined) return null
  const { defaultModel } = info
  if (defaultModel.startsWith('none'))
    return (
      <p class="small error-text">No model can be asked ({defaultModel}): set one up and start the server again.</p>
    )
  if (defaultModel.startsWith('offline/'))
    return (
      <p class="small soft">
        Answered by <b>{defaultModel}</b>: built in, free, and no language model. It reads files of the workspace,
        calculates, and quotes what it found. For more, set a provider's key (such as ANTHROPIC_API_KEY) where the
        server is started.
      </p>
    )
  return (
    <p class="small soft">
      Answered by <b>{defaultModel}</b>, unless another model is chosen in the options.
    </p>
  )
}
