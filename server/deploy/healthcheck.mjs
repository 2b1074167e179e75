/** Asks the server or worker of this container whether it is ready: exit code 0 where it is. */
const port = process.env.SVC_SERVER_PORT || 4000

fetch(`http://127.0.0.1:${port}/readyz`).then(
  ({ ok }) => process.exit(ok ? 0 : 1),
  () => process.exit(1),
)
