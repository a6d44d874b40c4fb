# Sourced by Scripts/demo and the benchmarks: an nginx of our own on a loopback port, with no root and no trace.
# The sourcing script calls `start_nginx` once and `stop_nginx` from its exit trap. A sourcing script that sets
# `nginx_tls_port` before gets TLS with HTTP/2 at that port too, with a certificate that nobody knows.

nginx_pid=
nginx_home=

port_is_busy() {
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# free_port PREFERRED: prints the first port from PREFERRED on that nobody listens at.
free_port() {
    local port
    for ((port = $1; port < $1 + 100; port++)); do
        if ! port_is_busy "$port"; then
            echo "$port"
            return
        fi
    done
    echo "No free port between $1 and $port on 127.0.0.1; stop what listens there." >&2
    return 1
}

nginx_tls_port=

write_tls_server() {
    [[ -n $nginx_tls_port ]] || return 0
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1 \
        -addext subjectAltName=IP:127.0.0.1 -keyout "$nginx_home/key.pem" -out "$nginx_home/certificate.pem" 2>/dev/null
    cat <<CONFIGURATION
    server {
        listen 127.0.0.1:$nginx_tls_port ssl http2;
        ssl_certificate $nginx_home/certificate.pem;
        ssl_certificate_key $nginx_home/key.pem;
        keepalive_requests 100000;
        root "$1";
    }
CONFIGURATION
}

write_nginx_configuration() {
    local folder=$1 port=$2
    # Started by root, nginx would hand its work to a user who may not read the folder.
    ((EUID != 0)) || echo "user root root;"
    cat <<CONFIGURATION
daemon off;
worker_processes 1;
pid $nginx_home/pid;
error_log $nginx_home/error.log warn;
events { worker_connections 512; }
http {
    access_log off;
    sendfile on;
    types { image/jpeg jpg; image/png png; image/gif gif; image/webp webp; }
    default_type application/octet-stream;
    client_body_temp_path $nginx_home/body;
    proxy_temp_path $nginx_home/proxy;
    fastcgi_temp_path $nginx_home/fastcgi;
    uwsgi_temp_path $nginx_home/uwsgi;
    scgi_temp_path $nginx_home/scgi;
    server {
        listen 127.0.0.1:$port;
        root "$folder";
    }
$(write_tls_server "$folder")
}
CONFIGURATION
}

# start_nginx FOLDER PORT: serves FOLDER (an absolute path) and returns once it answers.
start_nginx() {
    local folder=$1 port=$2 tries
    nginx_home=$(mktemp -d "${TMPDIR:-/tmp}/webimage-nginx.XXXXXX")
    write_nginx_configuration "$folder" "$port" >"$nginx_home/nginx.conf"
    PATH=$PATH:/usr/sbin nginx -e "$nginx_home/error.log" -p "$nginx_home" -c "$nginx_home/nginx.conf" </dev/null &
    nginx_pid=$!
    for ((tries = 0; tries < 200; tries++)); do
        if ! kill -0 "$nginx_pid" 2>/dev/null; then break; fi
        if port_is_busy "$port"; then return; fi
        sleep 0.05
    done
    echo "nginx did not start on port $port:" >&2
    cat "$nginx_home/error.log" >&2
    return 1
}

stop_nginx() {
    if [[ -n $nginx_pid ]]; then
        kill "$nginx_pid" 2>/dev/null || true
        wait "$nginx_pid" 2>/dev/null || true
        nginx_pid=
    fi
    if [[ -n $nginx_home ]]; then
        rm -rf "$nginx_home"
        nginx_home=
    fi
}
