import { createClient } from '@svc/sdk/remote'

createClient({ serverUrl: globalThis.serverUrl })
  .then((client) => client.run('2+2'))
  .then(({ summary }) => globalThis.show(summary), globalThis.show)
