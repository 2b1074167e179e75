import type { RuntimeInfo } from '@svc/sdk/remote'
import { Card } from '../parts/card.tsx'
import { Facts } from '../parts/facts.tsx'

/** What the server works with: folder, model, config. The first that one looks at to see why it does what it does. */
export function InForceCard({ info }: { info: RuntimeInfo }) {
  const { defaultModel, providers, config, policy, version } = info
  const [provider = ''] = defaultModel.split('/')
  const found = providers.find(({ id }) => id === provider)
  const origins = Object.keys(config.origin)
  const isGiven = Object.keys(config.value).some((name) => !origins.some((at) => at.startsWith(`/${name}`)))
  const sources = [...new Set(Object.values(config.origin))].filter((source) => source !== 'default')
  return (
    <Card id="in-force" title="In force">
      <div class="body">
        <Facts
          class=""
          of={[
            ['Folder', <span class="mono">{policy.root}</span>],
            ['Model', <span class="mono">{defaultModel}</span>],
            ['Provider', found === undefined ? provider || 'none' : `${found.id}, from ${found.source}`],
            [
              'Config',
              sources.join(', ') ||
                (isGiven ? 'given by the program that started the server' : 'nothing is set: all defaults'),
            ],
            ['Sandbox', policy.sandbox ?? 'auto: the best there is on this machine'],
            ['Version', `svc ${version}`],
          ]}
        />
      </div>
    </Card>
  )
}
