/** Asks the server or worker of this container whether it is ready: exit code 0 where it is. */
const { SVC_SERVER_PORT: server, SVC_SERVER_PROBES_PORT: worker } = process.env

const ask = (port) => fetch(`http://127.0.0.1:${port}/readyz`)

// One of the two listens.
ask(server || 4000)
  .catch(() => ask(worker || 4001))
  .then(
    ({ ok }) => process.exit(ok ? 0 : 1),
    () => process.exit(1),
  )
