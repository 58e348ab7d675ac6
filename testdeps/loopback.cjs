// Makes a Node.js server listen on the loopback interface only, and say on standard error on which port.
//
// Usage: node --require ./loopback.cjs SERVER.js; with PORT=0, the system chooses a free port.
'use strict';

const net = require('node:net');

const { listen } = net.Server.prototype;

net.Server.prototype.listen = function listenOnLoopback(port, ...others) {
  const callback = others.find((other) => typeof other === 'function');
  this.once('listening', () => process.stderr.write(`loopback port ${this.address().port}\n`));
  return listen.call(this, { host: '127.0.0.1', port: Number(port) }, callback);
};
