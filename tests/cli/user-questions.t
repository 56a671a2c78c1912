# count, latency, why and filters know functions of programs

$ cp $GOLDEN/made-user.dat .
$ sonde count -i made-user.dat -e user:user_call -e user:user_entry --by '$func,$task'
     count  $event      $func                               $task
         4  user_entry  spin                                worker-101  ############################
         3  user_call   next_token                          demo-100    #####################
         2  user_entry  parse                               demo-100    ##############
         1  user_call   next_token                          worker-101  #######
         1  user_call   std::vector<int>::push_back(int&&)  demo-100    #######
         1  user_entry  main                                demo-100    #######
         1  user_entry  read_all                            demo-100    #######
         1  user_entry  read_all                            worker-101  #######
         1  user_entry  work                                worker-101  #######
        15  in 9 rows
events were lost in 1 places
$ sonde latency -i made-user.dat -T next_token --by '$task'
next_token, from entry to return
4 measured
events were lost in 1 places

       duration             count
        0 - 1       us          3  ########################################
        1 - 2       us          0
        2 - 4       us          0
        4 - 8       us          0
        8 - 16      us          0
       16 - 32      us          0
       32 - 64      us          0
       64 - 128     us          0
      128 - 256     us          0
      256 - 512     us          0
      512 - 1024    us          0
     1.02 - 2.05    ms          0
     2.05 - 4.10    ms          1  #############

    count     min us     avg us     p50 us     p90 us     p95 us     p99 us   p99.9 us     max us
        4      0.500    625.450      0.603   2500.000   2500.000   2500.000   2500.000   2500.000

    count   total ms     avg us     p50 us     p99 us     max us  $task
        1      2.500   2500.000   2500.000   2500.000   2500.000  worker-101
        3      0.001      0.600      0.603      0.700      0.700  demo-100

the longest
             took us               from                 to     CPU  task and group
            2500.000        1.002027240        1.004527240       0  worker-101  worker-101
               0.700        1.000002450        1.000003150       1  demo-100  demo-100
               0.600        1.000001800        1.000002400       1  demo-100  demo-100
               0.500        1.000001250        1.000001750       1  demo-100  demo-100
$ sonde latency -i made-user.dat -T libio.so.1:read_all --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["count"], d["max"])'
1 22100
$ sonde latency -i made-user.dat -T demo:read_all
sonde: there is no call of 'demo:read_all' in made-user.dat; 'sonde functions made-user.dat' lists those that are
[1]
$ sonde report -F 'user_call:func == "next_token" && duration > 600' made-user.dat
cpus=2
user:             demo-100   [001]     1.000002: user_call:                next_token(); /* 0.700 us */
user:           worker-101   [000]     1.002027: user_call:              next_token(); /* 2500.000 us */
$ sonde report -F 'user_entry:func =~ "^[mw]"' made-user.dat
cpus=2
user:             demo-100   [001]     1.000000: user_entry:           main() {
user:           worker-101   [000]     1.000002: user_entry:           work() {

# why names the function of the program that waits, not the kernel's inside it
$ sonde why --task 101 made-user.dat | head -n 7
worker-101, 1.000002 to 1.004598: 4.596 ms in 4 steps

         time  length cpu  task        what it did
     1.000002   800ns   0  worker-101  runs
     1.000003  20.0us      worker-101  sleeps; its waker is unknown (in read_all())
     1.000023   500ns   0  worker-101  runs
     1.000023  4.58ms      worker-101  unknown
$ sonde why --task 101 --json made-user.dat | python3 -c 'import json, sys; print([(p["state"], p.get("function")) for p in json.load(sys.stdin)["path"]])'
[('running', None), ('sleeping', 'read_all'), ('running', None), ('unknown', None)]
