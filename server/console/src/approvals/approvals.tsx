/** */
export function Approvals() {
  return <h1>Approvals</h1>
}
