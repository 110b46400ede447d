// A browser for tests: opens a sign-in page and fills its forms, without drawing anything.

import { request } from 'node:http';

let newAccounts = 0;

/**
 * Goes on from page to page until an address `isEnd`, which it gives; http addresses are visited.
 * Whoever's `wish` it is to deny signs in and says no; to cancel, leaves before signing in.
 */
export async function walk(start, isEnd, { name = 'alice.test', password = 'sandbox', wish = 'agree' } = {}) {
  const cookies = new Map();
  let page = await open({ url: start });
  for (let count = 0; count < 20; count += 1) {
    if (isEnd(page.url)) return page.url;
    if (page.location === undefined) {
      page = await open(filled(page));
    } else {
      const url = new URL(page.location, page.url);
      page = url.protocol === 'http:' ? await open({ url: url.href, from: page.url }) : { url: url.href };
    }
  }
  throw new Error(`the pages come to no end at ${new URL(page.url).pathname}`);

  function filled({ url, html }) {
    const forms = (html ?? '').split('<form ').slice(1).map((rest) => rest.split('</form>')[0]);
    const form = forms.find((text) => text.includes('type="password"')) ?? forms[0];
    if (form === undefined) throw new Error(`the page at ${new URL(url).pathname} has no form`);
    const fields = new URLSearchParams();
    for (const [, text] of form.matchAll(/<input ([^>]*)>/g)) {
      const field = attributes(text);
      if (field.type === 'password') fields.append(field.name, password);
      else if (field.type === 'email' && name.includes('@')) fields.append(field.name, name);
      else if (field.type === 'email') fields.append(field.name, `new${(newAccounts += 1)}@example.com`);
      else if (field.name === 'handle') fields.append(field.name, `new${newAccounts + 1}.signup.test`);
      else if (field.type === 'text') fields.append(field.name, name);
      else if (field.type === 'hidden') fields.append(field.name, field.value);
      else if ('checked' in field) fields.append(field.name, field.value);
    }
    const buttons = [...form.matchAll(/<button ([^>]*)>/g)].map(([, text]) => attributes(text));
    const isRefusing = wish === 'cancel' || (wish === 'deny' && !form.includes('type="password"'));
    const button = buttons.find(({ value }) => (value === 'deny') === isRefusing);
    if (button?.name) fields.append(button.name, button.value);
    const action = button?.formaction ?? attributes(form.split('>')[0]).action;
    return { url: new URL(action, url).href, body: fields.toString(), from: url };
  }

  function open({ url, body, from }) {
    const headers = { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') };
    const isSame = from !== undefined && new URL(from).origin === new URL(url).origin;
    headers['sec-fetch-site'] = from === undefined ? 'none' : isSame ? 'same-origin' : 'cross-site';
    headers['sec-fetch-mode'] = 'navigate';
    headers['sec-fetch-dest'] = 'document';
    if (body !== undefined) {
      headers.origin = new URL(from).origin;
      headers['content-type'] = 'application/x-www-form-urlencoded';
    }
    return new Promise((resolve, reject) => {
      const sent = request(url, { method: body === undefined ? 'GET' : 'POST', headers, agent: false }, (answer) => {
        for (const cookie of answer.headers['set-cookie'] ?? []) cookies.set(...cookie.split(';')[0].split(/=(.*)/s, 2));
        let html = '';
        answer.setEncoding('utf8').on('data', (text) => (html += text));
        answer.on('end', () => resolve({ url, html, location: answer.headers.location }));
      });
      sent.on('error', reject).end(body);
    });
  }
}

function attributes(text) {
  const found = text.matchAll(/([a-z-]+)(?:="([^"]*)")?/g);
  return Object.fromEntries([...found].map(([, name, value]) => [name, unescape(value ?? '')]));
}

function unescape(text) {
  const characters = { quot: '"', '#39': "'", lt: '<', gt: '>', amp: '&' };
  return text.replace(/&(quot|#39|lt|gt|amp);/g, (_, name) => characters[name]);
}
