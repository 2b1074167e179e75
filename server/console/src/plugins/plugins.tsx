export default function Plugins() {
  return <h1>Plugins</h1>
}
