import { ServiceClient } from '@svc/sdk'

const client = new ServiceClient({ provider: 'offline', config: false, env: {} })
client
  .connect()
  .then(() => client.run('2+2'))
  .then(({ summary }) => {
    console.log(summary)
    return client.disconnect()
  })
