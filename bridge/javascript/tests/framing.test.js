import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';

import { encode, MessageSplitter, ProtocolError } from '../index.js';
import { connected } from './fake-core.js';

// Characters of two, three and four bytes, and three that some readers take for line breaks.
const TEXT = 'ä – 😀 \u2028\u2029 \u0085 end';
const MESSAGES = [{ text: TEXT }, { n: 1 }, { list: [TEXT, {}] }];

for (const framing of ['lines', 'headers']) {
  test(`messages come out wherever the chunks begin and end (${framing})`, () => {
    const stream = Buffer.concat(MESSAGES.map((message) => encode(message, framing)));
    for (const size of [1, 2, 3, 5, 7, stream.length]) {
      const splitter = new MessageSplitter(framing);
      const found = [];
      for (let at = 0; at < stream.length; at += size) found.push(...splitter.feed(stream.subarray(at, at + size)));
      assert.deepEqual(found, MESSAGES, `${size} bytes at a time`);
    }
  });

  test(`a message is as long as it is (${framing})`, () => {
    const text = 'x'.repeat(200_000);
    const bytes = encode({ list: Array(20).fill(text) }, framing);
    const splitter = new MessageSplitter(framing);
    const found = [];
    for (let at = 0; at < bytes.length; at += 65536) found.push(...splitter.feed(bytes.subarray(at, at + 65536)));
    assert.equal(found[0].list[19].length, 200_000);
  });

  test(`a core that writes byte by byte is understood (${framing})`, async () => {
    const { core, client } = connected({ framing, chunk: 1 });
    const answer = client.call('ping');
    await core.serve('ping', { text: TEXT });
    assert.deepEqual(await answer, { text: TEXT });
  });
}

test('blank lines and carriage returns are no messages', () => {
  assert.deepEqual([...new MessageSplitter().feed(Buffer.from('\r\n\n{"a":1}\r\n  \n'))], [{ a: 1 }]);
});

test('a member named __proto__ is a member', () => {
  const [message] = new MessageSplitter().feed(Buffer.from('{"__proto__":{"a":1}}\n'));
  assert.ok(Object.hasOwn(message, '__proto__'));
});

test('what is no JSON object is the fault of the core', () => {
  for (const line of ['hello\n', '[]\n', 'null\n', '{"a":1} {}\n', Buffer.from([0x7b, 0xff, 0x7d, 0x0a])]) {
    assert.throws(() => [...new MessageSplitter().feed(Buffer.from(line))], ProtocolError);
  }
});

test('a header without a length, or without an end, is the fault of the core', () => {
  for (const header of ['Content-Length: x\r\n\r\n', 'Other: 1\r\n\r\n', 'C'.repeat(1100)]) {
    assert.throws(() => [...new MessageSplitter('headers').feed(Buffer.from(header))], ProtocolError);
  }
});

test('other headers are passed over', () => {
  const bytes = Buffer.from('Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}');
  assert.deepEqual([...new MessageSplitter('headers').feed(bytes)], [{ a: 1 }]);
});

test('a message is one line of UTF-8, whatever its reader takes for a line break', () => {
  const text = encode({ text: 'a\nb\u2028c – d', path: 'a/b' }).toString();
  assert.equal(text, '{"text":"a\\nb\\u2028c – d","path":"a/b"}\n');
});

test('what the core could not read is refused before it is sent', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(64)}1${'}'.repeat(64)}`);
  const circle = {};
  circle.circle = circle;
  for (const value of [NaN, Infinity, 2 ** 53, '\ud800', { '\udc00': 1 }, deep, circle, 'x'.repeat(262_145)]) {
    assert.throws(() => encode({ value }), RangeError);
  }
  assert.throws(() => encode({ list: Array(10).fill('x'.repeat(200_000)) }, 'lines', 1048576), RangeError);
  assert.ok(encode({ text: '\\ud800 is written out here', half: 0.5 }));
});
