// What all views share comes first: the styles of a view change it.
import './styles/tokens.css'
import './styles/base.css'
import './styles/parts.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { exchangeCode } from './session/session.ts'
import { showUnseen } from './visible.ts'

showUnseen()
// A link that is opened where the page is already changes the fragment alone.
window.addEventListener('hashchange', () => void exchangeCode())
void exchangeCode().then(() => render(<App />, document.getElementById('app') as HTMLElement))
